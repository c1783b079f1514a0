import type { Advice } from './table.ts'

/** CIDs and codecs */
export const CIDS: Advice = {
  /**
   * # "TEXT" is not a CID: use a CID, such as one that ipfsz add printed, the name of a pin, or /ipns/NAME
   *
   * A CID may be followed by a path, and may begin with `/ipfs/`, `ipfs://` or the URL of a gateway. A CID that is
   * shortened with `...` does not work. IPNS and DNS names must begin with `/ipns/` or `ipns://`. The name of a pin
   * works if only one pin has it; otherwise the message lists their CIDs.
   */
  'UsageError not-a-cid': ': use a CID, such as one that ipfsz add printed, the name of a pin, or /ipns/NAME',
  /**
   * # ipfsz creates only CIDs of version 1
   *
   * A CID that begins with `Qm` cannot record the codec. Omit the option. [Link the
   * original](guide/link-original-cids.md) if the file is already known by such a CID.
   */
  UsageError: undefined,
  /**
   * # Only a dag-pb CID can be marked:
   *
   * A CID of raw bytes (`bafkrei...`) is a single block without a UnixFS root. Only files and directories with a root
   * of their own can be marked. Add the file with `ipfsz add`.
   */
  NotMarkableError: ': use the plain CID of a file or directory',
  /**
   * # ipfsz reads only UnixFS files and directories
   *
   * The CID refers to other data, such as DAG-CBOR. `ipfsz gateway` serves it.
   */
  NotUnixFSError: ': ipfsz reads only UnixFS files and directories',
  /**
   * # CODEC has no level N, only N
   *
   * `ipfsz codecs` lists the levels of each codec. `UnknownCodecError` (`Unknown codec NAME`) and
   * `InvalidFrameSizeError` (`The frame size must be a whole number`) are similar: the message lists the allowed
   * values.
   */
  InvalidLevelError: undefined,
  /**
   * # is stored with the codec CODE of a newer ipfsz: update ipfsz
   *
   * The repo has blocks that this version cannot decompress.
   */
  UnsupportedCodecError: undefined,
  /**
   * # the block CID has at least N bytes, which exceeds the limit of N
   *
   * Blocks of this size cannot be exchanged with other nodes anyway. Add the file again with smaller blocks.
   */
  BlockTooLargeError: undefined,
  /**
   * # cannot verify the block CID: its hash function CODE is not supported.
   *
   * IPFSz returns only verified bytes. It supports sha2-256, sha2-512, blake2b-256, blake3 and identity. Add the file
   * again with one of these.
   */
  UnknownHashError: undefined,
  /**
   * # The CODEC stream needs a window of N bytes, which exceeds the limit of N bytes
   *
   * Another tool compressed this stream, for example with `zstd --long`. Decompressing it needs that much memory.
   * Allow it with `--max-window 128MiB`.
   */
  WindowTooLargeError: ': raise it with --max-window',
  /**
   * # is marked as compressed, but its root block has no header
   *
   * Read the stored bytes with `ipfsz cat --raw`, or by the plain CID.
   */
  MissingHeaderError: ': read the stored bytes with ipfsz cat --raw, or by the plain CID'
}
