export interface FileTypes {
  /** The type of a name's ending. Undefined if it is not known. */
  ofName (name: string): string | undefined
  /**
   * The type of a file's first bytes.
   *
   * @param isWhole - whether they are the whole file
   */
  ofBytes (sample: Uint8Array, isWhole: boolean): Promise<string>
}
