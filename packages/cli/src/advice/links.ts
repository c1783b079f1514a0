import type { Advice } from './table.ts'

/** Links to originals */
export const LINKS: Advice = {
  /**
   * # Cannot check whether CID holds the bytes of CID:
   *
   * These bytes cannot be proven to be those of the original. Run `ipfsz verify ORIGINAL` once to enable ranges, or
   * read it by the marked CID. [What is checked](guide/link-original-cids.md#what-is-checked).
   */
  UncheckedLinkError: ({ what }) => what === 'range'
    ? '. Run ipfsz verify ORIGINAL once to enable ranges, or read it by its marked CID'
    : ': read it by its marked CID',
  /**
   * # CID does not hold the bytes of CID:
   *
   * The link is wrong, or the original was made with settings that IPFSz does not know. `ipfsz link rm` deletes the
   * link; `ipfsz link add --unchecked` adds one without a check, at your own risk, unless it is certain to be wrong.
   */
  LinkMismatchError:
    '. If a link is wrong, delete it with ipfsz link rm. If the original is not a raw CID, and was not made with the ' +
      'settings of Helia or a Kubo profile, link it with ipfsz link add --unchecked',
  /**
   * # it is not stored locally: add the file first, or import it with ipfsz car import
   *
   * `link add` reads the compressed file, so it must be in the repo.
   */
  LinkedFileMissingError: ': add the file first, or import it with ipfsz car import',
  /**
   * # CID is not linked: list the links with ipfsz link ls
   *
   * There is no link from or to this CID.
   */
  NotLinkedError: ': list the links with ipfsz link ls',
  /**
   * # Cannot open the links in PATH:
   *
   * The database of links is damaged or unreadable. If the message says that an entry is not a valid link
   * (`InvalidLinkError`), delete the directory `links` in the repo, and link your files again: nothing else is lost.
   */
  LinksError: undefined,
  InvalidLinkError: ': delete the directory "links" in the repo, then link all files again',
  /**
   * # The compressed file CID is not linked to its original
   *
   * Only the originals of linked files can be served. Add the file again with `ipfsz add --link`, or link it with
   * `ipfsz link add ORIGINAL MARKED`. [Serve originals](guide/serve-originals.md).
   */
  UnlinkedFileError: ': add it again with ipfsz add --link, or link it with ipfsz link add',
  /**
   * # Cannot use the index of originals PATH:
   *
   * The database is damaged or unreadable. It is also damaged if the message says that an entry is not a valid index
   * entry of an original (`InvalidOriginalError`). Delete `originals.db` in the repo, and run `ipfsz originals index`:
   * this rebuilds it from the compressed files, and nothing else is lost.
   */
  InvalidOriginalError: ': delete originals.db in the repo, then run ipfsz originals index',
  'RepoError other-index': ': use the ipfsz that created it, or delete the file and run ipfsz originals index'
}
