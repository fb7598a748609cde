import type { Pack } from "../engine/pack";
import { audit } from "./audit/rules";
import { lab } from "./lab/rules";
import { shared } from "./shared/rules";

/** Every pack, by the name of its folder. */
export const packs = { lab, shared, audit } as const satisfies Record<string, Pack>;
