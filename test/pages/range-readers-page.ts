/** The script of a page that reads files by ranges, as the documentation of the libraries says. */
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet'
import { createDbWorker } from 'sql.js-httpvfs'

/** @returns the size of the file, and what one row has in the column `note` */
async function readParquet (url: string, rowStart: number): Promise<[size: number, note: unknown]> {
  const file = await asyncBufferFromUrl({ url })
  const rows = await parquetReadObjects({ file, rowStart, rowEnd: rowStart + 1 })

  return [file.byteLength, rows[0].note]
}

/** @returns what one row has in the column `note`, and how many bytes were read for it */
async function readDatabase (url: string, id: number): Promise<[note: unknown, bytesRead: number]> {
  const { db, worker } = await createDbWorker(
    [{ from: 'inline', config: { serverMode: 'full', requestChunkSize: 4096, url } }],
    'sqlite.worker.js',
    'sql-wasm.wasm'
  )
  const [{ note }] = await db.query('SELECT note FROM entry WHERE id = ?', [id]) as Array<{ note: unknown }>

  return [note, await worker.bytesRead]
}

Object.assign(window, { readParquet, readDatabase })
