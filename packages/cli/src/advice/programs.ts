import type { Advice } from './table.ts'

/** In a program */
export const PROGRAMS: Advice = {
  /**
   * # The exit code 1 of `ipfsz diff`
   *
   * The two differ; only the differences are printed. 2 means that they could not be compared.
   */
  DifferentError: undefined,
  /**
   * # Could not load codec for 4151813
   *
   * Helia throws this (`UnknownCodecError`) for a marked CID if it does not have the marker codecs. Create the node
   * with `createHelia({ codecs: markerCodecs })`, pass an existing one to `withIpfsz(helia)`, or use the plain CID,
   * `unmark(cid)`: [on a Helia node](guide/use-in-a-dapp.md#on-a-helia-node).
   */
  UnknownCodecError: undefined,
  /**
   * # CODEC (IMPLEMENTATION) does not support dictionaries
   *
   * A call of `compress` or `decompress` has a `dictionary`, but only zstd supports dictionaries: check
   * `codec.dictionaries` first. For zstd, it means that no implementation with dictionaries is available: Node before
   * 22.19 needs WebAssembly for them.
   */
  DictionaryNotSupportedError: undefined,
  /**
   * # Invalid dictionary of N bytes:
   *
   * A dictionary is raw content of 8 bytes to 16 MiB. Dictionaries from `zstd --train` have another format, and are
   * not accepted: [dictionaries](codecs.md#dictionaries).
   */
  InvalidDictionaryError: undefined,
  /**
   * # interrupted
   *
   * You pressed Ctrl-C, or the process received a signal. Everything printed before is done. In a program, an aborted
   * call rejects with the signal's own reason.
   */
  AbortError: undefined
}
