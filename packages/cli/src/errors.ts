// Above 250 lines: what is said of each error of the library and the command is in one place.
export * from './error-classes.ts'

/** The names of errors that the arguments caused. */
const USAGE = new Set([
  'UsageError',
  'UnknownCodecError',
  'InvalidLevelError',
  'InvalidFrameSizeError',
  'NotMarkableError',
  'InvalidGatewayUrlError',
  'S3UrlError'
])

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

/** The exit code for an error. */
export function exitCode (err: Error): number {
  if (err.name === 'AbortError') {
    return INTERRUPTED
  }

  const own = OWN_CODES.get(err)

  if (own != null) {
    return own
  }

  return USAGE.has(err.name) ? WRONG_USAGE : FAILED
}

/** Describe an error in one line: what happened, and what to do next. */
export function explain (err: Error): string {
  const { cid, code, size, max, frames, frameSize, path, baseOfBase } = err as Error & Values

  switch (err.name) {
    case 'AbortError':
      return 'interrupted'
    case 'RepoError':
    case 'StoreError':
    case 'LinksError':
    case 'PinRecordError':
    case 'VerifyFailedError':
      return withCause(err)
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
      return `${err.message}: end the path at that file`
    case 'LinkedFileMissingError':
      return `${err.message}: add the file first, or import it with ipfsz car import`
    case 'NotFoundError':
      // an error without a CID says that a directory has no such entry
      return cid == null
        ? err.message
        : `${err.message}: not in this repo. To fetch it, run ipfsz daemon, or name a peer with --peer or a gateway ` +
          'with --gateway'
    case 'NotAFileError':
      return 'this is a directory, not a file: list it with ipfsz ls, then name a file as CID/path'
    case 'NotUnixFSError':
      return `${err.message}: ipfsz reads only files and directories. Name the CID of one`
    case 'NotMarkableError':
      return `${err.message}: name the plain CID of a file or directory`
    case 'FetchStalledError':
      return `${err.message}: name a peer that has it with --peer, or wait longer with --timeout`
    case 'InvalidGatewayUrlError':
      return `${err.message}. Name one as in --gateway http://127.0.0.1:8080`
    case 'GatewaysFailedError':
      return `${err.message}. Name another gateway with --gateway, or a peer with --peer`
    case 'NotConnectedError':
      return `${err.message}: check the address, and that the peer runs`
    case 'MissingHeaderError':
      return `${err.message}: read the stored bytes with ipfsz cat --raw, or by the plain CID`
    case 'CorruptFrameError':
      return err.message.includes('needs a dictionary')
        ? `${err.message}, which is not part of the file: decompress the bytes of ipfsz cat --raw with that dictionary`
        : writtenIncorrectly(err)
    case 'InvalidHeaderError':
    case 'InvalidTrailerError':
      return writtenIncorrectly(err)
    case 'WrongFrameError':
      return `${err.message}. Add it again, or without a base: this is a fault of ipfsz, or of this machine`
    case 'InvalidBaseError':
      return baseOfBase == null
        ? err.message
        : `${err.message}: name that one, or leave out --base-of-base refuse`
    case 'UnreadableBaseError':
      return err.cause instanceof Error && LOST.has(err.cause.name)
        ? `${err.message}: fetch it again with ipfsz repair ${String(cid)}, and name a peer or gateway that has it`
        : withCause(err)
    case 'WrongBaseError':
      return `${err.message}: the file was written incorrectly, or names another base than it was made with. ` +
        'Ask its author, or add the original again'
    case 'ContentMismatchError':
      return `${err.message}: the file was written incorrectly. Compare its bytes with the original`
    case 'InvalidDagError':
      return `${err.message}: the file or directory was written incorrectly. Add the original again`
    case 'FileTooLargeError':
      return `${path ?? 'the file'} has more than ${frames} frames of ${frameSize} bytes: choose a larger --frame-size`
    case 'BlockTooLargeError':
      return `the block ${String(cid)} has at least ${size} bytes, and ipfsz reads at most ${max}: ` +
        'add the file again, in smaller blocks'
    case 'UnsupportedCodecError':
      return `the block ${String(cid)} was stored by a newer ipfsz, with the codec 0x${code?.toString(16)}: ` +
        'update ipfsz'
    case 'UnknownHashError':
      return `cannot verify the block ${String(cid)}: its hash function 0x${code?.toString(16)} is not supported. ` +
        'Update ipfsz, or add the file again with sha2-256'
    case 'WindowTooLargeError':
      return `${err.message}: allow more with --max-window`
    case 'InvalidLinkError':
      return `${err.message}: delete the directory links in the repo. That deletes every link: link the files again`
    case 'InvalidOriginalError':
      return `${err.message}: delete the file originals.db in the repo, and run ipfsz originals index`
    case 'UnlinkedFileError':
      return `${err.message}: add it again with ipfsz add --link, or link it with ipfsz link add`
    case 'LinkMismatchError':
      return `${err.message}. If the link is wrong, delete it with ipfsz link rm. If the original was not made ` +
        'with the settings of Helia or a Kubo profile, link it with ipfsz link add --unchecked'
    case 'UncheckedLinkError':
      return 'what' in err && err.what === 'range'
        ? `${err.message}. Run ipfsz verify ORIGINAL once to make ranges work, or read it by its marked CID`
        : `${err.message}: read it by its marked CID`
    case 'CorruptBlockError':
      return err.cause instanceof Error && NOT_FETCHED.has(err.cause.name)
        ? `${err.message}: damaged on disk, and nobody sent it. Name another peer with --peer, or add the file again`
        : `${err.message}: damaged on disk. Fetch it again with ipfsz repair, or add the file again`
    case 'TimeoutError':
      return 'timed out: allow more time with --timeout'
    case 'KuboUnreachableError':
      return `${err.message}: start Kubo with ipfs daemon, or name its RPC API, as in --kubo http://127.0.0.1:5001`
    case 'KuboFailedError':
      return `${err.message}: add the file again`
    case 'KuboForbiddenError':
      return `${err.message}: add credentials, as in --kubo http://USER:PASSWORD@HOST:PORT, ` +
        'or allow it in Kubo\'s config (API.Authorizations)'
    case 'NotKuboError':
    case 'KuboCidMismatchError':
      return `${err.message}: name the address of Kubo's RPC API, by default port 5001`
    case 'KuboUnsupportedCidError':
      return `${err.message}: add it to the repo, without --kubo`
  }

  return explainSystemError(systemError(err)) ?? err.message
}

function writtenIncorrectly ({ message }: Error): string {
  return `${message}: the file was written incorrectly, or its CID has the wrong marker. ` +
    'Read the stored bytes with ipfsz cat --raw'
}

/** Fields of errors, for messages that must not name options of the library. */
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

/** Nobody sent a block. */
export const NOT_FETCHED: ReadonlySet<string> = new Set(['FetchStalledError', 'GatewaysFailedError'])

/** What ipfsz repair fetches again. */
export const LOST: ReadonlySet<string> = new Set(['NotFoundError', 'CorruptBlockError'])

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

interface SystemError extends Error {
  code: string
  path?: string
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
      return `${prefix}is a symlink to itself, or a symlink where none is followed`
    case 'ENAMETOOLONG':
      return `${prefix}the name is too long for this file system`
    case 'ENOTDIR':
      return `${prefix}a part of the path is not a directory`
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full: free some space and try again'
    case 'EFBIG':
      return `${prefix}the file would be larger than its disk or ulimit -f allows: write to another disk, ` +
        'or raise the limit'
    case 'EROFS':
      return `${prefix}the file system is read-only`
    case 'EMFILE':
      return 'too many open files: raise the limit with ulimit -n'
    default:
      return undefined
  }
}

/** Find the system error among the causes of an error. That of a missing block would name a file that never was. */
function systemError (err: unknown): SystemError | undefined {
  for (let cause = err; cause instanceof Error && !LOST.has(cause.name); cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && 'syscall' in cause) {
      return cause as SystemError
    }
  }

  return undefined
}
