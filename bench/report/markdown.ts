import type { Row, Table } from '../benchmark.ts'

/** A Markdown table, with numbers aligned to the right. */
export function toMarkdown (rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const isNumber = columns.map(
    column => rows.every(row => row[column] == null || row[column] === '-' || typeof row[column] === 'number')
  )

  return [
    `| ${columns.map(escape).join(' | ')} |`,
    `|${isNumber.map(right => right ? '---:' : '---').join('|')}|`,
    ...rows.map(row => `| ${columns.map(column => escape(String(row[column] ?? ''))).join(' | ')} |`)
  ].join('\n')
}

/** A table with its title. */
export function toSection ({ title, rows }: Table): string {
  return title === '' ? toMarkdown(rows) : `${title}:\n\n${toMarkdown(rows)}`
}

function escape (text: string): string {
  return text.replaceAll('|', '\\|')
}
