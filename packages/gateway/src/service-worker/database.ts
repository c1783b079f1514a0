/** Requests and transactions of IndexedDB as promises (w3.org/TR/IndexedDB). */

/** The result of a request. */
export async function done<T> (request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => { resolve(request.result) }, { once: true })
    request.addEventListener('error', () => { reject(request.error ?? new Error('IndexedDB failed')) }, { once: true })
  })
}

/** Resolves when a transaction is complete, which is when it is stored. */
export async function committed (transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => { resolve() })
    transaction.addEventListener('abort', () => { reject(transaction.error ?? new Error('IndexedDB aborted')) })
  })
}

/**
 * Open a database.
 *
 * @param create - makes the object stores of a new one
 * @throws {DOMException} the browser lets this page store nothing
 */
export async function openDatabase (name: string, create: (database: IDBDatabase) => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name)
  request.addEventListener('upgradeneeded', () => { create(request.result) })

  return done(request)
}
