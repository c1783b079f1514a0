/* oxlint-disable unicorn/consistent-function-scoping -- a function is sent as text: it can use nothing outside of it */

/**
 * Runs in a page. The bytes of blocks that a service worker keeps, as it counts them and as they are, and how many
 * blocks these are.
 */
export async function keptBlocks (): Promise<{ total: number, size: number, count: number }> {
  const done = async <T>(request: IDBRequest<T>): Promise<T> => new Promise((resolve, reject) => {
    request.addEventListener('success', () => { resolve(request.result) })
    request.addEventListener('error', () => { reject(request.error ?? new Error('failed')) })
  })
  const database = await done(indexedDB.open('ipfsz-blocks-1'))
  const transaction = database.transaction(['bytes', 'entries', 'total'])
  const blocks = await done<Uint8Array[]>(transaction.objectStore('bytes').getAll())
  const entries = await done<Array<{ size: number }>>(transaction.objectStore('entries').getAll())
  const total = await done<number>(transaction.objectStore('total').get(0))

  database.close()

  if (total !== entries.reduce((sum, { size }) => sum + size, 0)) {
    throw new Error('the total is not that of the entries')
  }

  return { total, size: blocks.reduce((sum, { byteLength }) => sum + byteLength, 0), count: blocks.length }
}
