import type { PortOwner } from './owner.ts'

/**
 * Why a server cannot listen, and what to do, by the error code of the system. Undefined for other codes.
 *
 * @param owner - the process that has the port, if that is known
 */
export function listenReason (code: string, port: number | string, owner?: PortOwner): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${owner == null ? another(port) : known(port, owner)}, or choose another port (0 picks a free one)`
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address. Use one of its own'
    case 'EACCES':
      return 'permission denied. Choose a port above 1023'
    case 'ENOTFOUND':
      return 'no such host. Use an IP address'
    default:
      return undefined
  }
}

function known (port: number | string, { pid, command }: PortOwner): string {
  return `process ${pid} (${command}) uses port ${port}. Stop it`
}

function another (port: number | string): string {
  return `another program uses port ${port}. Find it with ${findCommand(port)} and stop it`
}

/** The command that tells which process has a port. */
function findCommand (port: number | string): string {
  switch (process.platform) {
    case 'linux':
      return `ss -lntup "sport = :${port}"`
    case 'win32':
      return 'netstat -ano'
    default:
      return `lsof -i :${port}`
  }
}
