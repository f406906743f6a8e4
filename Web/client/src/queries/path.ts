import { kindOf, memberOf, membersOf, stringValue } from "../json/text.js";

/** A path of a resource or directory: its device (null for any), and its components, each after a slash. */
export interface ScopePath {
  /** The device; null for any. */
  device: string | null;
  /** The components, each after a slash. */
  components: string;
}

/** Parses a path; null if the value is not one. Protocol/queries.md, scope. */
export function pathOf(json: string): ScopePath | null {
  if (kindOf(json) === "string") return { device: null, components: componentsOf(stringValue(json)) };
  if (kindOf(json) !== "object") return null;
  const members = membersOf(json);
  if (members.length !== 1 || kindOf(members[0].value) !== "object") return null;
  const [{ name, value }] = members;
  const text = (field: string): string | null => {
    const own = memberOf(value, field);
    return own !== null && kindOf(own) === "string" ? stringValue(own) : null;
  };
  const path = text("path");
  const names = name === "Physical" ? [text("device_slug")] : name === "Cloud" ? [text("service"), text("identifier")] : [null];
  if (path === null || names.includes(null)) return null;
  return { device: JSON.stringify(names), components: componentsOf(path) };
}

const WINDOWS = /^(?:\\\\|[A-Za-z]:[\\/])/;

function componentsOf(path: string): string {
  const parts = path.split(WINDOWS.test(path) ? /[\\/]/ : "/");
  return parts.filter((part) => part !== "" && part !== ".").map((part) => `/${part}`).join("");
}

/** True if a path is in a directory: directly, or with `isRecursive` at any depth. */
export function lies(path: ScopePath, directory: ScopePath, isRecursive: boolean): boolean {
  if (directory.device !== null && directory.device !== path.device) return false;
  const start = directory.components.length;
  if (path.components.length <= start || !path.components.startsWith(directory.components)) return false;
  if (path.components.charAt(start) !== "/") return false;
  return isRecursive || !path.components.includes("/", start + 1);
}
