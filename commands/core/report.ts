import { indented, wrapped } from "../../components/core/text";
import type { TextPage } from "../../components/core/text-page";

/** Lines under a title; none without lines. */
export function section(title: string, lines: readonly string[], { colors }: TextPage): string[] {
  return lines.length === 0 ? [] : [colors.bold(title), ...indented(lines)];
}

/** Something that could not be read, why, and what to do about it. */
interface Unread {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A section on what could not be read. */
export function unreadSection(title: string, unread: readonly Unread[], page: TextPage): string[] {
  const { colors, width } = page;
  const lines = unread.flatMap(({ what, why, fix }) => [
    ...wrapped(`${what}: ${why}`, width - 2).map(colors.yellow),
    ...indented(wrapped(`fix: ${fix}`, width - 4)),
  ]);
  return section(title, lines, page);
}

/** A key for each value, with null for none, as documents have it. */
export function withNull(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? null]));
}
