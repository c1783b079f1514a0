/** How many blocks there are in the batches of a list. */
export async function countListed (batches: AsyncIterable<readonly unknown[]>): Promise<number> {
  let blocks = 0

  for await (const { length } of batches) {
    blocks += length
  }

  return blocks
}
