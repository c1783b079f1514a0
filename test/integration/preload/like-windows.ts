import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, resolve, sep } from 'node:path'
import type { FileHandle } from 'node:fs/promises'

/*
 * A process whose file system refuses what Windows does, as libuv (src/win/fs.c) and SQLite (os_win.c) use it:
 *
 * - a file that is open, or read-only, is not replaced; a directory with open files in it is not renamed
 * - a file that a database has open is neither deleted nor renamed
 * - directories, and files that were opened to read, are not synced
 * - before libuv 1.51, the device of a path has other bits than that of an open file
 * - names with characters that Windows reads as something else, and those of devices, are refused
 * - there are no symlinks without a right to make them, no owners, and no /proc
 *
 * What it does not imitate: backslashes, names that differ in case alone, and flags of open that are missing.
 */

type Call = (...args: unknown[]) => unknown

const before = { ...fs }
// eslint-disable-next-line no-control-regex
const RESERVED = /[<>:"|?*\0-\x1f\\]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

Object.defineProperty(process, 'platform', { value: 'win32' })
Object.assign(process, { getuid: undefined, geteuid: undefined, getgid: undefined, getegid: undefined })

function refuse (code: string, syscall: string, path: string): never {
  throw Object.assign(new Error(`${code}: as on Windows, ${syscall} '${path}'`), { code, syscall, path })
}

/** Whether any process has a file open, or one below a directory. */
function isOpen (path: string, below = false): boolean {
  const real = resolve(path)

  return before.readdirSync('/proc').filter(name => /^\d+$/.test(name)).some(pid => {
    try {
      return before.readdirSync(`/proc/${pid}/fd`).some(fd => {
        const opened = linkOf(`/proc/${pid}/fd/${fd}`)

        return below ? opened?.startsWith(real + sep) === true : opened === real
      })
    } catch {
      // it has ended, or belongs to another user
      return false
    }
  })
}

function linkOf (path: string): string | undefined {
  try {
    return before.readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Databases do not let others delete what they have open; Node does. */
function isDatabase (path: string): boolean {
  return path.endsWith('.db') || /[/](?:locks|links|network)[/]/.test(path)
}

function checkName (path: unknown, syscall: string): void {
  if (RESERVED.test(basename(String(path)))) {
    refuse('EINVAL', syscall, String(path))
  }
}

function checkRename (from: unknown, to: unknown): void {
  const [source, target] = [String(from), String(to)]
  const [moved, there] = [source, target].map(path => before.lstatSync(path, { throwIfNoEntry: false }))

  checkName(target, 'rename')

  if (there?.isFile() === true && ((there.mode & 0o200) === 0 || isOpen(target))) {
    refuse('EPERM', 'rename', target)
  }

  if ((moved?.isDirectory() === true && isOpen(source, true)) || (isDatabase(source) && isOpen(source))) {
    refuse('EPERM', 'rename', source)
  }
}

function checkUnlink (path: unknown): void {
  if (isDatabase(String(path)) && isOpen(String(path))) {
    refuse('EBUSY', 'unlink', String(path))
  }
}

/** Node's own readFileSync calls the openSync that is replaced here. */
function flagsOf (fd: number): number {
  const info = before.openSync(`/proc/self/fdinfo/${fd}`, 'r')
  const bytes = Buffer.alloc(1024)
  const length = before.readSync(info, bytes)
  before.closeSync(info)
  const [, flags = '0'] = /^flags:\s*(\d+)$/m.exec(bytes.toString('latin1', 0, length)) ?? []

  return parseInt(flags, 8)
}

function checkSync (file: unknown): void {
  const fd = Number(file)

  if (before.fstatSync(fd).isDirectory() || (flagsOf(fd) & 3) === fs.constants.O_RDONLY) {
    refuse('EPERM', 'fsync', String(fd))
  }
}

function checkOpen (path: unknown, flags: unknown): void {
  if (String(path).startsWith('/proc/')) {
    refuse('ENOENT', 'open', String(path))
  }

  if (typeof flags === 'string' ? !flags.startsWith('r') : (Number(flags) & fs.constants.O_CREAT) !== 0) {
    checkName(path, 'open')
  }
}

const CHECKS: Record<string, Call> = {
  rename: checkRename,
  link: (_: unknown, to: unknown) => { checkName(to, 'link') },
  unlink: checkUnlink,
  rm: checkUnlink,
  fsync: checkSync,
  fdatasync: checkSync,
  open: checkOpen,
  readFile: checkOpen,
  readlink: checkOpen,
  mkdir: (path: unknown) => { checkName(path, 'mkdir') },
  symlink: (_: unknown, path: unknown) => refuse('EPERM', 'symlink', String(path))
}

for (const [name, check] of Object.entries(CHECKS)) {
  const [calls, later] = [fs, promises] as unknown as Array<Record<string, Call>>
  const { [name]: call, [`${name}Sync`]: callNow } = calls
  const { [name]: promised } = later

  calls[name] = (...args) => {
    try {
      check(...args)
    } catch (err) {
      return setImmediate(() => { (args.at(-1) as Call)(err) })
    }

    return call(...args)
  }
  calls[`${name}Sync`] = (...args) => {
    check(...args)

    return callNow(...args)
  }

  if (promised != null) {
    later[name] = async (...args) => {
      check(...args)

      return promised(...args)
    }
  }
}

/** The device as `stat` of a path says it. */
function ofPath<T> (stats: T): T {
  const found = stats as { dev?: unknown } | undefined

  if (typeof found?.dev === 'bigint') {
    found.dev += 1n << 40n
  }

  return stats
}

for (const name of ['stat', 'lstat'] as const) {
  const [now, later] = [fs[`${name}Sync`] as Call, promises[name] as Call]

  Object.assign(fs, { [`${name}Sync`]: (...args: unknown[]) => ofPath(now(...args)) })
  Object.assign(promises, { [name]: async (...args: unknown[]) => ofPath(await later(...args)) })
}

const { open } = promises

promises.open = async (...args) => {
  const handle = await open(...args)

  for (const name of ['sync', 'datasync'] as const) {
    const sync = handle[name].bind(handle) as FileHandle['sync']

    handle[name] = async () => {
      checkSync(handle.fd)
      await sync()
    }
  }

  return handle
}

syncBuiltinESMExports()
