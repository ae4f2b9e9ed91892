// JSON of others as it stands: read and written again, a number keeps its digits.

/** What the language of the library doesn't have yet (Chrome 114). */
interface ExactJson {
  parse(text: string, read: (key: string, value: unknown, at: { source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
}
const { parse, rawJSON, isRawJSON } = JSON as unknown as ExactJson;

/** Reads it; what is written of it again has the same numbers. */
export const readExactly = (text: string): unknown => parse(text, (_key, value, { source }) => (typeof value === "number" && source !== undefined ? rawJSON(source) : value));

/** A value that was read exactly, for the person: a text as it is, all else as JSON. */
export const shownValue = (value: unknown): string => (typeof value === "string" && value !== "" ? value : JSON.stringify(value, null, 2));

/** Whether it has members by name. */
export const isNamed = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);

/** JSON as it is read by people; what is none stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(readExactly(text), null, 2);
  } catch {
    return text;
  }
}
