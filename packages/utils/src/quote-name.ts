/** Maximum number of characters of a name in a message. */
const MAX_LENGTH = 300

/**
 * A stranger's name, path or label in quotes, for a message: on one line, and cut if it is long. A block may hold a
 * name of megabytes.
 */
export function quoteName (name: string): string {
  return JSON.stringify(name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}...` : name)
}
