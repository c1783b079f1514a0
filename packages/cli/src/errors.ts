export * from './error-classes.ts'
export * from './disk/write-errors.ts'

/** Errors that come of what was typed, by name. */
const USAGE = new Set(['UsageError', 'UnknownCodecError', 'InvalidLevelError', 'InvalidFrameSizeError', 'NotMarkableError'])

const WRONG_USAGE = 2
/** What shells give after Ctrl-C. */
const INTERRUPTED = 130
/** The exit code for everything that is no mistake of whoever called. */
export const FAILED = 1

/** The exit code for an error. */
export function exitCode (err: Error): number {
  if (err.name === 'AbortError') {
    return INTERRUPTED
  }

  return USAGE.has(err.name) ? WRONG_USAGE : FAILED
}

/** One line that says what is wrong and what to do about it. */
export function explain (err: Error): string {
  switch (err.name) {
    case 'AbortError':
      return 'interrupted, what was added before is intact'
    case 'RepoError':
    case 'LinksError':
    case 'TreeEntryError':
    case 'DamagedDagError':
    case 'PinRecordError':
    case 'InvalidCarError':
    case 'VerifyFailedError':
      return err.message
    case 'NotADirectoryError':
      return `${err.message}: what comes behind a slash is an entry of a directory`
    case 'LinkedFileMissingError':
      return `${err.message}: add it first, or import it with ipfsz car import`
    case 'NotFoundError':
      // one without a CID says itself that a directory has no such entry
      return 'cid' in err ? `${err.message}: it is not in this repo. Run ipfsz daemon, or name a peer with --peer, to fetch it` : err.message
    case 'NotAFileError':
      return 'that is a directory, not a file: see what is in it with ipfsz ls, and name a file as CID/path'
    case 'NotFetchedError':
      return `${err.message}: name a peer that has it with --peer, or wait longer with --timeout`
    case 'MissingHeaderError':
      return `${err.message}: read what is stored with --raw, or by its plain CID`
    case 'CorruptFrameError':
    case 'InvalidHeaderError':
      return `${err.message}: whatever made the file made it wrong, read what is stored with --raw`
    case 'WindowTooLargeError':
      return `${err.message}: allow more with --max-window`
    case 'LinkMismatchError':
      return `${err.message}. If the link is wrong, delete it with ipfsz link rm. If the original was made with other settings than those of Helia and Kubo's profiles, link it with ipfsz link add --unchecked`
    case 'UncheckedLinkError':
      return 'what' in err && err.what === 'range' ? `${err.message}. Run ipfsz verify ORIGINAL once, then ranges work, or read it by its marked CID` : `${err.message}: read it by its marked CID`
    case 'CorruptBlockError':
      return err.cause instanceof Error && err.cause.name === 'NotFetchedError'
        ? `${err.message}: it is damaged on disk, and nobody sent it. Name a peer that has it with --peer, or add the file again`
        : `${err.message}: it is damaged on disk. Fetch it anew with ipfsz repair, or add the file again`
    case 'FetchStalledError':
      return `${err.message}: name a peer that has it with --peer, or wait longer with --timeout`
    case 'TimeoutError':
      return 'the time is up: allow more with --timeout'
    case 'KuboUnreachableError':
      return `${err.message}: start it with ipfs daemon, or name the address of its RPC API, as --kubo http://127.0.0.1:5001`
    case 'KuboFailedError':
      return `${err.message}: add it again`
    case 'KuboForbiddenError':
      return `${err.message}: give credentials, as --kubo http://USER:PASSWORD@HOST:PORT, or allow it in Kubo's settings (API.Authorizations)`
    case 'NotKuboError':
      return `${err.message}: name the address of Kubo's RPC API, which has the port 5001 unless it was changed`
  }

  return explainSystemError(systemError(err)) ?? err.message
}

interface SystemError extends Error {
  code: string
  path?: string
}

function explainSystemError (err: SystemError | undefined): string | undefined {
  const path = err?.path ?? 'it'

  switch (err?.code) {
    case 'ENOENT':
      return `${path}: no such file or directory`
    case 'EACCES':
    case 'EPERM':
      return `${path}: permission denied`
    case 'EISDIR':
      return `${path}: is a directory, not a file`
    case 'EEXIST':
      return `${path}: is there already`
    case 'ELOOP':
      return `${path}: is a symlink that leads to itself, or one where none is followed`
    case 'ENAMETOOLONG':
      return `${path}: the name is too long for this file system`
    case 'ENOTDIR':
      return `${path}: a part of the path is not a directory`
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full: free some space and try again, what was added before is intact'
    case 'EROFS':
      return `${path}: the file system is read-only`
    case 'EMFILE':
      return 'too many open files: raise the limit with ulimit -n'
    default:
      return undefined
  }
}

/** The system's own error, however deep it is wrapped. */
function systemError (err: unknown): SystemError | undefined {
  for (let at = err; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && 'syscall' in at) {
      return at as SystemError
    }
  }

  return undefined
}
