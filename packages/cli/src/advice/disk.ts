import type { Advice } from './table.ts'

/** Advice that may free space. */
export const GC_ADVICE = 'If the repo is on that disk, ipfsz gc frees space: it deletes unpinned blocks'

/** Adding and writing to disk */
export const DISK: Advice = {
  /**
   * # is a directory whose name ends in a backslash
   *
   * In the paths of Helia and of `@ipfsz/core`, a slash after a backslash is part of a name, so nothing can be added
   * below such a directory.
   */
  'TreeEntryError bad-name': ': rename it, or skip it with --ignore',
  /**
   * # is a symlink whose target is not UTF-8
   *
   * UnixFS supports only UTF-8 in symlinks: any other target would be changed.
   */
  'TreeEntryError bad-target': ': recreate it, or skip it with --ignore',
  'TreeEntryError not-addable': ': skip it with --ignore',
  /**
   * # already exists: overwrite it with --force, or choose another path
   *
   * `get`, `car export` and `site add --car` never overwrite without `--force`, and never replace a directory.
   */
  'TreeEntryError exists': ': overwrite it with --force, or choose another path',
  'TreeEntryError in-the-way': ': choose another path with --output',
  'TreeEntryError is-directory': ': to write into it, end the path in a slash; for a CAR, add a file name',
  /**
   * # is a symlink to TARGET, which may be outside the output directory
   *
   * Such a symlink could make other programs write elsewhere: allow it if you trust the author.
   */
  'TreeEntryError leads-out': ': use --allow-symlinks to allow it',
  /**
   * # is no longer a directory: another program replaced it
   *
   * So are `is no longer a file` and `was replaced by another program`. While ipfsz read or wrote the
   * path, another program, perhaps of another user, replaced it, for example with a symlink to another directory.
   * Nothing was read or written there.
   *
   * # other users can rename this directory, its parents or its contents
   *
   * On Linux, `get` and `car export` keep the directory open. On other systems, and in a chroot without `/proc`, they
   * refuse directories where other users could redirect what they write: use your own directory.
   */
  TreeEntryError: '',
  /**
   * # exceeds the limit of SIZE (N bytes). To write it anyway, raise
   *
   * A small compressed file can claim to be very large. If you expect this size, pass a larger `--max-size` or
   * `--max-files`.
   */
  'OutputTooLargeError size': '. To write it anyway, raise --max-size',
  'OutputTooLargeError files': '. To write it anyway, raise --max-files',
  /**
   * # but the disk has only SIZE left: DIRECTORY is SIZE short. Free some space, or write to another disk with -o
   *
   * Nothing was written.
   */
  NoRoomError: `. Free some space, or write to another disk with -o. ${GC_ADVICE}`,
  'UsageError not-regular': ': to write to it, use --output - and redirect stdout',
  /**
   * # exceeds N frames of N bytes: choose a larger --frame-size
   *
   * A file has at most 134,217,728 frames, so [the largest file](limits.md#the-largest-file) depends on the frame
   * size: 8 TiB with the smallest.
   */
  FileTooLargeError: undefined,
  /**
   * # NAME is not a CAR, or is damaged:
   *
   * The file is not a CAR, such as a `.car.gz` that must be decompressed first, or its transfer was incomplete.
   *
   * # NAME has a root that is not UnixFS:
   *
   * ipfsz pins files and directories, and cannot check other data, such as DAG-CBOR: `ipfs dag import NAME` imports it
   * into Kubo.
   */
  InvalidCarError: ({ cause }) => {
    const reason = cause instanceof Error && cause.name === 'DamagedDagError' ? cause.cause : cause

    return reason instanceof Error && reason.name === 'NotUnixFSError'
      ? ': ipfsz imports only files and directories. Kubo imports other data, with ipfs dag import'
      : ''
  },
  /**
   * # CID cannot be a base:
   *
   * `--base` must be an earlier version of the input: a file for a file, a directory for a directory. The message ends
   * with the reason. `it has a base itself` occurs with `--base-of-base refuse`, and is followed by that base: pass it
   * to `--base`, or omit `--base-of-base` to use it automatically. `it cannot be decompressed` means that the earlier
   * version was written incorrectly: add it again from its original. When reading a file from somebody else, the error
   * means that the file was written incorrectly.
   */
  InvalidBaseError: ({ baseOfBase }) => baseOfBase == null ? '' : ': use that one, or omit --base-of-base refuse',
  'UsageError needs-name': ': set one with --name',
  'UsageError one-name': ', or omit --name'
}
