import { platform } from 'node:process'
import type { SystemError } from '@ipfsz/utils/system-error'

/** The message for a full disk. `withFullDisk` finds out which disk it is. */
export const DISK_FULL = 'the disk is full: free some space and try again'

const NAME_TOO_LONG = 'the name is too long for this file system'

/** What else Windows may mean by EPERM, by the call that failed. */
const WINDOWS_DENIES: ReadonlyMap<string | undefined, string> = new Map([
  ['rename', ', or another program has it open: close it, and try again'],
  ['symlink', ': to make symlinks, Windows needs its developer mode, or a terminal that runs as administrator']
])

/** Errors of the system */
export function explainSystemError (err: SystemError | undefined, system: string = platform): string | undefined {
  const prefix = err?.path == null ? '' : `${err.path}: `

  switch (err?.code) {
    /**
     * # no such file or directory
     *
     * The path does not exist. Paths are relative to the current directory. The shell does not expand `*` and `~`
     * inside quotes.
     */
    case 'ENOENT':
      return `${prefix}no such file or directory`
    /**
     * # permission denied
     *
     * You do not have permission to read the file, or to write to the directory or the repo. Only its owner can read
     * a new repo.
     */
    case 'EACCES':
    case 'EPERM':
      return `${prefix}permission denied${system === 'win32' ? WINDOWS_DENIES.get(err.syscall) ?? '' : ''}`
    /**
     * # is in use: close what has it open
     *
     * On Windows, a file cannot be replaced or deleted while another program, such as a virus scanner or an editor, has
     * it open. ipfsz tries for two seconds. Close the other program, and run the command again.
     */
    case 'EBUSY':
      return `${prefix}is in use: close what has it open, and try again`
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
    /**
     * # the disk is full: free some space and try again
     *
     * The message shows which disk is full, how much space is left and, if it is known, how much more is needed.
     * `ipfsz gc` deletes unpinned blocks, such as those of the add that failed. If something is
     * pinned in each pack, it needs space itself, and says how much. `ipfsz stats` shows the size of the repo.
     *
     * # has no inodes left for new files
     *
     * The disk has space, but no inodes for more files. Delete files, or run `ipfsz gc`. A repo with one file per
     * block needs many: `ipfsz blockstore convert --layout packs` needs few.
     */
    case 'ENOSPC':
    case 'EDQUOT':
      return DISK_FULL
    case 'EAGAIN':
      return `${prefix}has no data to read yet: omit it, or pipe it into ipfsz`
    /**
     * # the file would exceed the maximum size of the file system or of ulimit -f
     *
     * FAT32, the file system of many USB sticks, does not support files of 4 GiB or more: write to another disk.
     * `ulimit -f` shows the limit of this terminal, in blocks of 512 or 1024 bytes.
     */
    case 'EFBIG':
      return `${prefix}the file would exceed the maximum size of the file system or of ulimit -f: ` +
        'write to another disk, or raise the limit'
    case 'EROFS':
      return `${prefix}the file system is read-only`
    /**
     * # too many open files: raise the limit with ulimit -n
     *
     * The system's limit of open files per process is too low. `ulimit -n 4096` raises it in this terminal.
     */
    case 'EMFILE':
      return 'too many open files: raise the limit with ulimit -n'
    default:
      return err?.path == null || err.message.includes(err.path) ? undefined : `${prefix}${err.message}`
  }
}

/** Whether a path has more bytes than the system takes, with its final NUL: 4,096 on Linux, 1,024 on macOS. */
function isPathTooLong (path = ''): boolean {
  return Buffer.byteLength(path) >= (platform === 'linux' ? 4096 : 1024)
}
