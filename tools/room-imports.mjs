// The lint rule of the rooms: a folder imports only the folders that its row of rooms.json names. docs/architecture.md
// shows the table.
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
export const rooms = JSON.parse(readFileSync(new URL("rooms.json", import.meta.url), "utf8"));

const isWithin = (path, folder) => path === folder || path.startsWith(`${folder}/`);

/** The room of a path: a folder inside another room is a room of its own. */
function roomOf(path) {
  const around = rooms.filter(({ folder }) => isWithin(path, folder));
  return around.reduce((inner, one) => (inner && inner.folder.length > one.folder.length ? inner : one), undefined);
}

/** What a file may not import: a room, or a path outside all rooms; undefined when the import is allowed. */
function bannedBy({ folder, imports }, filename, source) {
  if (!/^\.\.?(\/|$)/.test(source)) return undefined;
  const path = relative(root, resolve(dirname(filename), source));
  const other = roomOf(path)?.folder ?? path;
  return [folder, ...imports].some((allowed) => isWithin(other, allowed)) ? undefined : other;
}

export const roomImports = {
  meta: {
    type: "problem",
    schema: [],
    messages: { banned: "{{folder}} must not import {{other}}: see the table in docs/architecture.md." },
  },
  create(context) {
    const room = roomOf(relative(root, context.filename));
    if (!room) return {};
    const check = (node) => {
      const source = node.source?.value;
      const other = typeof source === "string" ? bannedBy(room, context.filename, source) : undefined;
      if (other !== undefined) context.report({ node, messageId: "banned", data: { folder: room.folder, other } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};
