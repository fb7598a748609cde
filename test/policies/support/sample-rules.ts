import { count } from "../../../policies/engine/parameters";
import { adviseIf, failIf, resourceRule, stackRule } from "../../../policies/engine/rule";
import { Undetermined } from "../../../components/core/reader/truth";

/** A rule on one type, with a parameter: at most `most` shelves, and fewer are better. */
export const shelves = resourceRule({
  id: "shelves",
  title: "A cupboard has few shelves.",
  severity: "low",
  incident: "a cupboard fell over",
  types: ["shop:index:Cupboard"],
  parameters: { most: count(3, 1, "Most shelves.") },
  *judge(cupboard, { most }) {
    const shelf = cupboard.integer("shelves");
    const fault = { path: "shelves", got: shelf.shown, why: `${most} hold.`, fix: `set shelves to ${most} or less` };
    yield failIf(
      shelf.is((n) => n > most),
      () => fault,
    );
    yield adviseIf(
      shelf.is((n) => n === most),
      () => ({ ...fault, why: "That is full." }),
    );
  },
});

/** A rule on two types, of which one makes the other. */
export const painted = resourceRule({
  id: "painted",
  title: "Furniture is painted.",
  severity: "medium",
  incident: "a cupboard rusted",
  types: ["shop:index:Kitchen", "shop:index:Cupboard"],
  *judge(furniture) {
    const paint = furniture.text("paint");
    const fault = { path: "paint", got: paint.shown, why: "It rusts.", fix: "set paint to a colour" };
    yield failIf(paint.isAbsent, () => fault);
    yield adviseIf(
      paint.is((colour) => colour === "white"),
      () => fault,
    );
  },
});

/** A rule on the whole stack: all cupboards together fit into the rooms. */
export const room = stackRule({
  id: "room",
  title: "The cupboards fit into the rooms.",
  severity: "critical",
  incident: "a cupboard stood in the rain",
  types: ["shop:index:Cupboard", "shop:index:Room"],
  parameters: { each: count(2, 0, "Cupboards that fit into a room.") },
  *judge(stack, { each }, { config }) {
    const rooms = stack.ofType("shop:index:Room");
    for (const cupboard of stack.ofType("shop:index:Cupboard")) {
      const height = cupboard.integer("height");
      const [its] = stack.behind(cupboard, "room", "shop:index:Room");
      const ceiling = its ? its.integer("height").or(3) : config.integer("shop:ceiling");
      yield failIf(
        height.is((high) => ceiling.is((low) => high > low)),
        () => ({ path: "height", got: height.shown, why: `The ceiling is ${ceiling.shown}.`, fix: "saw some off" }),
        cupboard,
      );
    }
    const cupboards = stack.ofType("shop:index:Cupboard").length;
    const fits = rooms.length === 0 ? new Undetermined(["rooms"]) : cupboards <= rooms.length * each;
    yield failIf(typeof fits === "boolean" ? !fits : fits, () => ({
      path: "cupboards",
      got: String(cupboards),
      why: `${rooms.length} rooms hold ${each} each.`,
      fix: "make fewer cupboards",
    }));
  },
});
