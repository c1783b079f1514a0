import { MAX_ROWS } from './messages.ts'
import type { Cell, Result } from './messages.ts'

/** The most letters of a cell. */
const MAX_TEXT = 500

/** A result as a table. Its content is inserted as text, never as HTML. */
export function table ({ columns, rows }: Result): HTMLElement {
  const element = document.createElement('table')
  const caption = element.createCaption()
  const head = element.createTHead().insertRow()
  const body = element.createTBody()

  caption.textContent = rows.length < MAX_ROWS ? `Rows: ${rows.length}` : `The first ${rows.length} rows`

  for (const column of columns) {
    const cell = document.createElement('th')
    cell.scope = 'col'
    cell.textContent = column
    head.append(cell)
  }

  for (const row of rows) {
    const line = body.insertRow()
    row.forEach(cell => { line.insertCell().textContent = textOf(cell) })
  }

  return element
}

function textOf (cell: Cell): string {
  return cell instanceof Uint8Array ? `${cell.byteLength} bytes` : String(cell ?? 'NULL').slice(0, MAX_TEXT)
}
