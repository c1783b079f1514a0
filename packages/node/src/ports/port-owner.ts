import type { PortOwner, Protocol } from './owner.ts'

/** Finds the process that has a port. */
export type FindPortOwner = (protocol: Protocol, port: number) => Promise<PortOwner | undefined>

/**
 * The process that listens on a port, where the system says.
 *
 * @param find - asks the system. By default as it is done on this one
 * @returns undefined if it is not known, if there may be several, or if it is this process
 */
export async function portOwner (
  protocol: Protocol,
  port: number,
  find: FindPortOwner = findOnThisSystem
): Promise<PortOwner | undefined> {
  try {
    const owner = await find(protocol, port)

    return owner?.pid === process.pid ? undefined : owner
  } catch {
    // a tool that is missing, or a process that has ended
    return undefined
  }
}

async function findOnThisSystem (protocol: Protocol, port: number): Promise<PortOwner | undefined> {
  switch (process.platform) {
    case 'linux': {
      const { linuxPortOwner } = await import('./linux-port-owner.ts')

      return linuxPortOwner(protocol, port)
    }
    case 'darwin': {
      const { macPortOwner } = await import('./tool-port-owner.ts')

      return macPortOwner(protocol, port)
    }
    case 'win32': {
      const { windowsPortOwner } = await import('./tool-port-owner.ts')

      return windowsPortOwner(protocol, port)
    }
    default:
      return undefined
  }
}
