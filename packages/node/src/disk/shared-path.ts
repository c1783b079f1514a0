import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join, parse, sep } from 'node:path'
import { RepoError } from '../errors.ts'
import { absolutePath } from '../paths.ts'
import type { Stats } from 'node:fs'
import type { Environment, WorkingDirectory } from '../paths.ts'

/** Who may write may also rename what others own, unless the directory is sticky, as `/tmp` is. */
const OTHERS = 0o002
const GROUP = 0o020
const STICKY = 0o1000

/** As Linux: a path that leads through more is a circle. */
const MAX_SYMLINKS = 40

type Io = WorkingDirectory & { env: Environment }

/**
 * Check that no other user can rename a repo or what is in it, and so make the command read and write elsewhere with
 * the permissions of this one: each lock, database and pack is opened by its path. Root has the most to lose, and is no
 * exception. `IPFSZ_SAFE_DIRECTORY` names a repo where nobody else is, as in a container, or is `*`: as git's
 * `safe.directory`, of which this is the rule too.
 *
 * Groups are not looked at: those of one user are common. `init` warns of them. Windows says nothing of owners.
 */
export function checkNotShared (repo: string, io: Io): void {
  if (isNamedSafe(repo, io)) {
    return
  }

  const trusted = trustedOwners(io.env)

  for (const { path, stats } of wayTo(repo)) {
    const message = isOpenTo(OTHERS, stats)
      ? `Every user of this machine can rename what is in ${path}`
      : trusted.includes(stats.uid) ? undefined : `The user ${stats.uid} owns ${path}`

    if (message != null) {
      throw new RepoError(`${message}, and so can replace the repo ${repo}`, {
        problem: 'unsafe-directory', place: path
      })
    }
  }
}

/** The directory on the way to a repo whose group can rename what is in it. Undefined if there is none. */
export function findGroupWritable (repo: string): string | undefined {
  return process.getuid == null ? undefined : [...wayTo(repo)].find(({ stats }) => isOpenTo(GROUP, stats))?.path
}

function isNamedSafe (repo: string, io: Io): boolean {
  const { IPFSZ_SAFE_DIRECTORY: safe = '' } = io.env

  return process.getuid == null || safe === '*' || (safe !== '' && absolutePath(safe, io) === repo)
}

function isOpenTo (who: number, stats: Stats): boolean {
  return stats.isDirectory() && (stats.mode & who) !== 0 && (stats.mode & STICKY) === 0
}

/** This user and root; for root also who called it by `sudo`, who can do anything anyway. */
function trustedOwners ({ SUDO_UID: caller = '' }: Environment): number[] {
  const uid = process.geteuid?.() ?? 0

  return [uid, 0, ...uid === 0 && /^\d+$/.test(caller) ? [Number(caller)] : [], ...ownersOutside()]
}

/** The owner that Linux shows for all that a user namespace does not know, such as root of the machine. */
function ownersOutside (): number[] {
  try {
    const [, , count] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/)

    return count === '4294967295' ? [] : [Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8'))]
  } catch {
    return []
  }
}

/** Every directory and symlink that leads to a path, as far as it exists. */
function * wayTo (path: string): Generator<{ path: string, stats: Stats }> {
  const { root } = parse(path)
  const names = path.slice(root.length).split(sep)
  let at = root
  let symlinks = 0

  yield { path: root, stats: lstatSync(root) }

  for (let name = names.shift(); name != null; name = names.shift()) {
    const next = join(at, name)
    const stats = statsOf(next)

    if (stats == null) {
      return
    }

    yield { path: next, stats }

    if (!stats.isSymbolicLink()) {
      at = next
    } else if (++symlinks > MAX_SYMLINKS) {
      return
    } else {
      const target = readlinkSync(next)
      at = target.startsWith(sep) ? root : at
      names.unshift(...target.split(sep))
    }
  }
}

/** Undefined if there is nothing, or it cannot be examined: it fails when it is used, with its reason. */
function statsOf (path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
