export interface ZlibOutput {
  bytes: Uint8Array
  /** Whether nothing else is in the memory of `bytes`, which may be longer. */
  isAlone?: boolean
}

/**
 * Free the output buffers of a call whose output did not fit into one, and was joined from them: what does not shrink
 * takes three, half again as large as itself. Those of Node's pool are of another size, as is the pool.
 *
 * @param chunkSize - of the buffers, in bytes
 */
export function freeParts (parts: readonly Buffer[], joined: Buffer, chunkSize: number): void {
  for (const part of chunkSize > Buffer.poolSize ? parts : []) {
    if (part.buffer !== joined.buffer && part.buffer.byteLength === chunkSize) {
      // not in Node before 21: there it stays garbage
      (part.buffer as Partial<Pick<ArrayBuffer, 'transfer'>>).transfer?.(0)
    }
  }
}

/**
 * Whether nothing else is in the memory of an output: it is an output buffer, or was made for all of the output. A
 * short one that was joined from several is neither: Node puts it into its pool.
 */
export function isAlone ({ buffer, byteLength }: Buffer, chunkSize: number): boolean {
  return chunkSize > Buffer.poolSize && (buffer.byteLength === chunkSize || buffer.byteLength === byteLength)
}
