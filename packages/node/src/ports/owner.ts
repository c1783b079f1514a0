import { basename } from 'node:path'

/** The process that has a port. */
export interface PortOwner {
  pid: number
  /** How it was started, shortened. */
  command: string
}

export type Protocol = 'tcp' | 'udp'

/** The longest command that is shown, in characters. */
const MAX_COMMAND = 60

/** The words of a command as they are shown: of a path, the name says enough. */
export function shorten (words: readonly string[]): string {
  const command = words.filter(Boolean).map(word => word.startsWith('/') ? basename(word) : word).join(' ')

  return command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}...` : command
}
