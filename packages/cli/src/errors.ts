// Above 250 lines: the messages for all errors of the library and the command are in one place.
import { platform } from 'node:process'
import { isUsageError } from '@ipfsz/utils/usage-errors'
import { LOST, systemError } from '@ipfsz/utils/system-error'
import { adviceFor } from './advice.ts'
import type { SystemError } from '@ipfsz/utils/system-error'

export * from '@ipfsz/node/errors'
export { fullDiskError, neededBytes } from '@ipfsz/utils/system-error'

/** The message for a full disk. `withFullDisk` finds out which disk it is. */
export const DISK_FULL = 'the disk is full: free some space and try again'

const NAME_TOO_LONG = 'the name is too long for this file system'

const WRONG_USAGE = 2
/** The exit code that shells report after Ctrl-C. */
const INTERRUPTED = 130
/** The exit code for every other error. */
export const FAILED = 1

/** The exit codes of errors of commands with codes of their own. */
const OWN_CODES = new WeakMap<Error, number>()

/** Give an error another exit code than its name has. */
export function withExitCode (err: Error, code: number): Error {
  OWN_CODES.set(err, code)

  return err
}

export function exitCode (err: Error): number {
  if (err.name === 'AbortError') {
    return INTERRUPTED
  }

  const own = OWN_CODES.get(err)

  if (own != null) {
    return own
  }

  return isUsageError(err) ? WRONG_USAGE : FAILED
}

/** The errors whose messages quote their causes. */
const QUOTING: ReadonlySet<string> = new Set([
  'DaemonError',
  'LinksError',
  'PinRecordError',
  'RepoError',
  'StoreError',
  'VerifyFailedError'
])

/** Describe an error in one line: what happened, and what to do next. */
export function explain (err: Error): string {
  const { cid, code, size, max, frames, frameSize, path, baseOfBase } = err as Error & Values
  const advised = adviceFor(err, QUOTING.has(err.name) ? withCause(err) : err.message)

  if (advised != null) {
    return advised
  }

  switch (err.name) {
    case 'AbortError':
      return 'interrupted'
    case 'StoreMissingError':
    case 'WorkingDirectoryError':
    case 'TreeEntryError':
    case 'InvalidCarError':
    case 'ListenError':
      return err.message
    case 'DamagedDagError':
      return 'root' in err && err.cause instanceof Error && LOST.has(err.cause.name)
        ? `${err.message}: run ipfsz repair ${String(err.root)}`
        : withCause(err)
    case 'NotADirectoryError':
      return `${err.message}: remove that part of the path`
    case 'LinkedFileMissingError':
      return `${err.message}: add the file first, or import it with ipfsz car import`
    case 'NotFoundError':
      // an error without a CID says that a directory has no such entry
      return cid == null
        ? err.message
        : `${err.message}: not in this repo. To fetch it, run ipfsz daemon, or specify a peer with --peer or a ` +
          'gateway with --gateway'
    case 'NotAFileError':
      return 'this is a directory, not a file: list it with ipfsz ls, then read a file with CID/path'
    case 'NotUnixFSError':
      return `${err.message}: ipfsz reads only UnixFS files and directories`
    case 'NotMarkableError':
      return `${err.message}: use the plain CID of a file or directory`
    case 'FetchStalledError':
      return 'asked' in err && err.asked != null
        ? `${err.message}: specify one that has it with --peer, or a gateway with --gateway`
        : `${err.message}: specify a peer that has it with --peer, or wait longer with --timeout`
    case 'InvalidGatewayUrlError':
      return `${err.message}. Example: --gateway http://127.0.0.1:8080`
    case 'GatewaysFailedError':
      return isRefusedAddress(err)
        ? `${err.message}: use --allow-local to fetch from it, or try another gateway with --gateway, or a peer with ` +
          '--peer'
        : `${err.message}. Try another gateway with --gateway, or a peer with --peer`
    case 'NotConnectedError':
      return `${err.message}: check the address, and that the peer is running`
    case 'MissingHeaderError':
      return `${err.message}: read the stored bytes with ipfsz cat --raw, or by the plain CID`
    case 'CorruptFrameError':
      return 'needsDictionary' in err && err.needsDictionary === true
        ? `${err.message}, which is not part of the file: decompress the bytes of ipfsz cat --raw with that dictionary`
        : writtenIncorrectly(err)
    case 'InvalidHeaderError':
    case 'InvalidTrailerError':
      return writtenIncorrectly(err)
    case 'WrongFrameError':
      return `${err.message}. Try again, or add it without a base. The cause is a bug in ipfsz, or faulty memory`
    case 'InvalidBaseError':
      return baseOfBase == null
        ? err.message
        : `${err.message}: use that one, or omit --base-of-base refuse`
    case 'UnreadableBaseError':
      return err.cause instanceof Error && LOST.has(err.cause.name)
        ? `${err.message}: fetch it again with ipfsz repair ${String(cid)}, and specify a peer or gateway that has it`
        : withCause(err)
    case 'WrongBaseError':
      return `${err.message}: the file was written incorrectly, or names another base than it was made with. ` +
        'Ask its author, or add the original again'
    case 'ContentMismatchError':
      return `${err.message}: the file was written incorrectly. Compare its contents with the original`
    case 'InvalidDagError':
      return `${err.message}: the file or directory was written incorrectly. Add the original again`
    case 'FileTooLargeError':
      return `${path ?? 'the file'} exceeds ${frames} frames of ${frameSize} bytes: choose a larger --frame-size`
    case 'BlockTooLargeError':
      return `the block ${String(cid)} has at least ${size} bytes, which exceeds the limit of ${max}: ` +
        'add the file again with smaller blocks'
    case 'UnsupportedCodecError':
      return `the block ${String(cid)} is stored with the codec 0x${code?.toString(16)} of a newer ipfsz: ` +
        'update ipfsz'
    case 'UnknownHashError':
      return `cannot verify the block ${String(cid)}: its hash function 0x${code?.toString(16)} is not supported. ` +
        'Update ipfsz, or add the file again with sha2-256'
    case 'WindowTooLargeError':
      return `${err.message}: raise it with --max-window`
    case 'InvalidLinkError':
      return `${err.message}: delete the directory "links" in the repo, then link all files again`
    case 'InvalidOriginalError':
      return `${err.message}: delete originals.db in the repo, then run ipfsz originals index`
    case 'UnlinkedFileError':
      return `${err.message}: add it again with ipfsz add --link, or link it with ipfsz link add`
    case 'LinkMismatchError':
      return `${err.message}. If a link is wrong, delete it with ipfsz link rm. If the original is not a raw CID, ` +
        'and was not made with the settings of Helia or a Kubo profile, link it with ipfsz link add --unchecked'
    case 'UncheckedLinkError':
      return 'what' in err && err.what === 'range'
        ? `${err.message}. Run ipfsz verify ORIGINAL once to enable ranges, or read it by its marked CID`
        : `${err.message}: read it by its marked CID`
    case 'CorruptBlockError':
      return err.cause instanceof Error && NOT_FETCHED.has(err.cause.name)
        ? `${err.message}: damaged on disk, and no node sent it. Try another peer with --peer, or add the file again`
        : `${err.message}: damaged on disk. Fetch it again with ipfsz repair, or add the file again`
    case 'TimeoutError':
      return 'timed out: allow more time with --timeout'
    case 'KuboUnreachableError':
      return `${err.message}: start Kubo with ipfs daemon, or pass its RPC API, such as --kubo http://127.0.0.1:5001`
    case 'KuboFailedError':
      return `${err.message}: add the file again`
    case 'KuboForbiddenError':
      return `${err.message}: pass credentials, as in --kubo http://USER:PASSWORD@HOST:PORT, ` +
        'or allow access in Kubo\'s config (API.Authorizations)'
    case 'NotKuboError':
    case 'KuboCidMismatchError':
      return `${err.message}: use the address of Kubo's RPC API (port 5001 by default)`
    case 'KuboUnsupportedCidError':
      return `${err.message}: add it to the repo, without --kubo`
  }

  return QUOTING.has(err.name) ? withCause(err) : explainSystemError(systemError(err)) ?? err.message
}

/** Whether a gateway was not asked because its address is not public. */
function isRefusedAddress (err: unknown): boolean {
  return err instanceof Error && (
    err.name === 'PrivateAddressError' || isRefusedAddress(err.cause) ||
      ('failures' in err && Array.isArray(err.failures) && err.failures.some(isRefusedAddress))
  )
}

function writtenIncorrectly ({ message }: Error): string {
  return `${message}: the file was written incorrectly, or its CID has the wrong marker. ` +
    'Read the stored bytes with ipfsz cat --raw'
}

/** Fields of errors, for messages that mention options of the command, not of the library. */
interface Values {
  cid?: unknown
  code?: number
  baseOfBase?: unknown
  size?: number
  max?: number
  frames?: number
  frameSize?: number
  path?: string
}

/** No node sent a block. */
export const NOT_FETCHED: ReadonlySet<string> = new Set(['FetchStalledError', 'GatewaysFailedError'])

/** The message of an error. If it quotes one of its causes, with that cause explained. */
function withCause ({ message, cause }: Error): string {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if (at.message !== '' && message.includes(at.message)) {
      const text = explain(at)
      const path = 'path' in at ? `${String(at.path)}: ` : ''

      // do not name the same path twice
      return message.replace(at.message, () => message.includes(path) ? text.replace(path, '') : text)
    }
  }

  return message
}

function explainSystemError (err: SystemError | undefined): string | undefined {
  const prefix = err?.path == null ? '' : `${err.path}: `

  switch (err?.code) {
    case 'ENOENT':
      return `${prefix}no such file or directory`
    case 'EACCES':
    case 'EPERM':
      return `${prefix}permission denied`
    case 'EISDIR':
      return `${prefix}is a directory, not a file`
    case 'EEXIST':
      return `${prefix}already exists`
    case 'ELOOP':
      return `${prefix}is a symlink loop, or a symlink where none is allowed`
    case 'ENAMETOOLONG':
      return `${prefix}${isPathTooLong(err.path) ? 'the path is too long for this system' : NAME_TOO_LONG}`
    case 'ENOTDIR':
      return `${prefix}a part of the path is not a directory`
    case 'ENOSPC':
    case 'EDQUOT':
      return DISK_FULL
    case 'EAGAIN':
      return `${prefix}has no data to read yet: omit it, or pipe it into ipfsz`
    case 'EFBIG':
      return `${prefix}the file would exceed the maximum size of the file system or of ulimit -f: ` +
        'write to another disk, or raise the limit'
    case 'EROFS':
      return `${prefix}the file system is read-only`
    case 'EMFILE':
      return 'too many open files: raise the limit with ulimit -n'
    default:
      return undefined
  }
}

/** Whether a path has more bytes than the system takes, with its final NUL: 4,096 on Linux, 1,024 on macOS. */
function isPathTooLong (path = ''): boolean {
  return Buffer.byteLength(path) >= (platform === 'linux' ? 4096 : 1024)
}
