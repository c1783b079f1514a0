/** storedSize / size. Undefined where that means nothing. */
export function ratioOf (size: bigint | undefined, storedSize: bigint | undefined): number | undefined {
  return size == null || storedSize == null || size === 0n ? undefined : Number(storedSize) / Number(size)
}
