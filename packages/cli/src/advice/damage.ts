import { LOST } from '@ipfsz/utils/system-error'
import type { Advice } from './table.ts'

/** No node sent a block. */
export const NOT_FETCHED: ReadonlySet<string> = new Set(['FetchStalledError', 'GatewaysFailedError'])

const WRITTEN_INCORRECTLY =
  ': the file was written incorrectly, or its CID has the wrong marker. Read the stored bytes with ipfsz cat --raw'

/** Whether a block is missing or damaged, which a repair mends. */
function isLost (cause: unknown): boolean {
  return cause instanceof Error && LOST.has(cause.name)
}

/** Damage */
export const DAMAGE: Advice = {
  /**
   * # The file CID needs its base CID, which cannot be read:
   *
   * The file was added with `--base` or `--dictionaries`: it stores only the differences from an earlier version or a
   * dictionary, and a block of that base is missing or damaged in this repo. The end of the message shows which block.
   * A node that pins or fetches the whole file has its base too. `ipfsz repair CID` fetches missing and damaged
   * blocks, including those of the base, from the daemon's peers, or from those that you specify with `--peer` or
   * `--gateway`.
   */
  UnreadableBaseError: ({ cid, cause }) => isLost(cause)
    ? `: fetch it again with ipfsz repair ${cid}, and specify a peer or gateway that has it`
    : undefined,
  /**
   * # CID is not complete:
   *
   * A block below this CID is missing or damaged. `ipfsz repair CID` checks every block and fetches what it can.
   * Adding the original file again also repairs it.
   */
  DamagedDagError: ({ root, cause }) => isLost(cause) ? `: run ipfsz repair ${root}` : undefined,
  /**
   * # damaged on disk. Fetch it again with ipfsz repair, or add the file again
   *
   * The bytes of a stored block do not match its hash: the disk corrupted them, or a crash truncated them. No wrong
   * bytes were returned. Run `ipfsz repair CID`. If no node sends the block, try another peer with `--peer`, or add
   * the original file again. If it happens again, check the disk. `The block CID from Kubo is corrupt` means that
   * Kubo sent other bytes: `ipfs repo verify` looks for damaged blocks in its repo.
   */
  CorruptBlockError: ({ cause, sender }) => {
    if (sender != null) {
      return ': check its repo with ipfs repo verify'
    }

    return cause instanceof Error && NOT_FETCHED.has(cause.name)
      ? ': damaged on disk, and no node sent it. Try another peer with --peer, or add the file again'
      : ': damaged on disk. Fetch it again with ipfsz repair, or add the file again'
  },
  /**
   * # Cannot read the pin record FILE
   *
   * The record of one pin is damaged. The blocks are not affected. `ipfsz pin add CID` rewrites the record; `ipfsz pin
   * rm CID` deletes it. Until then, `gc` deletes nothing.
   */
  PinRecordError: ({ cid }) =>
    cid == null ? undefined : `: rewrite it with ipfsz pin add ${cid}, or delete it with ipfsz pin rm ${cid}`,
  /**
   * # the file was written incorrectly, or its CID has the wrong marker.
   *
   * Also `InvalidHeaderError` and `InvalidTrailerError`. The blocks match their hashes, but they are
   * not a valid compressed file. The usual cause is a CID marked with the wrong codec: `ipfsz stat` of the plain CID
   * shows the right one. `ipfsz cat --raw` prints the stored bytes.
   */
  CorruptFrameError: ({ needsDictionary }) => needsDictionary === true
    ? ', which is not part of the file: decompress the bytes of ipfsz cat --raw with that dictionary'
    : WRITTEN_INCORRECTLY,
  InvalidHeaderError: WRITTEN_INCORRECTLY,
  InvalidTrailerError: WRITTEN_INCORRECTLY,
  /**
   * # The file CID cannot be decompressed with its base BASE:
   *
   * Every block of the file and of its base is as its author wrote it, but they do not belong together: the file names
   * another base than it was made with, or one of its frames was written incorrectly. `ipfsz repair` and other peers
   * cannot help, because they have the same bytes. Ask the author for the CID of a correct copy, or add the original
   * again. To see whether the base itself is whole, run `ipfsz verify BASE`. Parts of the file whose frames do fit can
   * still be read: `ipfsz cat CID --offset N --length N`.
   */
  WrongBaseError:
    ': the file was written incorrectly, or names another base than it was made with. Ask its author, or add the ' +
      'original again',
  /**
   * # A new CODEC frame does not decode to the original bytes, so it was not stored
   *
   * With a base, `ipfsz` decodes each new frame as a check before it prints the file's CID. This frame did not decode
   * to the bytes of the file. The cause is a bug in `ipfsz` or faulty memory; in a program, it can also be a buffer
   * that was changed during the add, such as a stream that reuses its buffer. Nothing is lost. Add the file again; if
   * the error persists, add it without `--base`, and report it with both files.
   */
  WrongFrameError: '. Try again, or add it without a base. The cause is a bug in ipfsz, or faulty memory',
  /**
   * # the file was written incorrectly. Compare its contents with the original
   *
   * The content CID in the file's header does not match its bytes: its author made a mistake, or wants to deceive. Do
   * not trust the header of this file.
   */
  ContentMismatchError: ': the file was written incorrectly. Compare its contents with the original',
  /**
   * # the file or directory was written incorrectly. Add the original again
   *
   * A block contradicts the block that links to it, or exceeds a [limit](limits.md#what-is-refused). Fetching it again
   * does not help.
   */
  InvalidDagError: ': the file or directory was written incorrectly. Add the original again',
  /**
   * # N of N paths were not added: see the errors above
   *
   * Part of the work failed; each failure has its own message above. Other commands count pins, CIDs or files.
   * Everything that was printed as done is done.
   */
  IncompleteError: undefined,
  /**
   * # A path and a message, from `verify` of a directory
   *
   * The entry at this path failed, for the reason in the message: look for it on this page.
   */
  VerifyFailedError: undefined
}
