import { columnsOf } from './columns.ts'

const INDENT = '  '

/** A value after its label, or below it if both do not fit into a line. */
export function withLabel (label: string, value: string, width: number): string[] {
  const line = `${label}${value}`

  return columnsOf(line) <= width ? [line] : [label.trimEnd(), indented(value, width)]
}

/** A long value is not indented, so that it can be selected in full. */
export function indented (value: string, width: number): string {
  return columnsOf(value) + INDENT.length <= width ? `${INDENT}${value}` : value
}
