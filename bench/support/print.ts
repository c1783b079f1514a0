import type { Table } from '../benchmark.ts'

/** Write tables to stdout with aligned columns. console.table would put texts in quotes. */
export function printTables (tables: readonly Table[]): void {
  for (const { title, rows } of tables) {
    console.info(title === '' ? '' : `${title}\n`)

    const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
    const cells = [columns, ...rows.map(row => columns.map(column => String(row[column] ?? '')))]
    const widths = columns.map((_, i) => Math.max(...cells.map(row => row[i].length)))
    const isNumber = columns.map(
      column => rows.every(row => typeof row[column] === 'number' || row[column] == null || row[column] === '-')
    )

    for (const row of cells) {
      console.info(
        row.map((cell, i) => isNumber[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])).join('  ').trimEnd()
      )
    }

    console.info()
  }
}
