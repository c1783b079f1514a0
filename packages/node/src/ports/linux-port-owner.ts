import { open, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { shorten } from './owner.ts'
import type { PortOwner, Protocol } from './owner.ts'

/** The states of a TCP socket that listens, and of a UDP socket (Linux, `include/net/tcp_states.h`). */
const STATES = { tcp: '0A', udp: '07' } as const

/** Maximum number of open files that are looked at, of all processes. */
const MAX_FILES = 50_000
/** What is read of a command, in bytes. */
const COMMAND_BYTES = 4096

/**
 * The process of this user that listens on a port, as the kernel says.
 *
 * @param proc - where the kernel tells of processes
 * @returns undefined if it is another user's, or if there may be several
 */
export async function linuxPortOwner (
  protocol: Protocol,
  port: number,
  proc = '/proc'
): Promise<PortOwner | undefined> {
  const sockets = await socketsOn(protocol, port, proc)
  const pids = sockets.size === 0 ? [] : await holdersOf(sockets, proc)
  const [pid] = pids

  return pids.length === 1 ? { pid, command: await commandOf(pid, proc) } : undefined
}

/** The inodes of the sockets that have a port, on any address. */
async function socketsOn (protocol: Protocol, port: number, proc: string): Promise<Set<string>> {
  const found = new Set<string>()
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`

  for (const table of [protocol, `${protocol}6`]) {
    const lines = (await readFile(`${proc}/net/${table}`, 'latin1').catch(() => '')).split('\n').slice(1)

    for (const line of lines) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)

      if (local.endsWith(end) && state === STATES[protocol]) {
        found.add(inode)
      }
    }
  }

  return found
}

/** The processes that have these sockets open. Empty if one of the sockets belongs to none that can be looked into. */
async function holdersOf (sockets: ReadonlySet<string>, proc: string): Promise<number[]> {
  const unseen = new Set(sockets)
  const pids = new Set<number>()
  let files = 0

  for (const name of await readdir(proc)) {
    const pid = Number(name)

    if (!Number.isSafeInteger(pid) || !await isOwn(`${proc}/${name}`)) {
      continue
    }

    for (const file of await readdir(`${proc}/${name}/fd`).catch(() => [])) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(await readlink(`${proc}/${name}/fd/${file}`).catch(() => '')) ?? []

      if (++files > MAX_FILES) {
        return []
      }

      if (inode != null && sockets.has(inode)) {
        unseen.delete(inode)
        pids.add(pid)
      }
    }
  }

  return unseen.size === 0 ? [...pids] : []
}

async function isOwn (directory: string): Promise<boolean> {
  return stat(directory).then(({ uid }) => uid === process.getuid?.(), () => false)
}

async function commandOf (pid: number, proc: string): Promise<string> {
  const file = await open(`${proc}/${pid}/cmdline`)

  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(COMMAND_BYTES))

    return shorten(buffer.subarray(0, bytesRead).toString().split('\0'))
  } finally {
    await file.close()
  }
}
