import { quote } from '../terminal/quote.ts'
import type { Row } from './estimate.ts'

const KIB = 1024
const MIB = 1024 * KIB

/**
 * The `ipfsz add` command that uses a codec level, quoted for sh.
 *
 * @param frameSize - in bytes, if it is not the default
 * @param command - what the user types to run `ipfsz`
 */
export function addCommand (
  { codec, level, label }: Pick<Row, 'codec' | 'level' | 'label'>,
  paths: readonly string[],
  frameSize?: number,
  command = 'ipfsz'
): string {
  return [
    command,
    'add --codec',
    codec,
    // a codec with one level needs no --level
    ...level == null || label === codec ? [] : ['--level', String(level)],
    ...frameSize == null || codec === 'none' ? [] : ['--frame-size', sizeArgument(frameSize)],
    ...paths.some(path => path.startsWith('-')) ? ['--'] : [],
    ...paths.length === 1 ? [quote(paths[0], 'FILE')] : ['FILE...']
  ].join(' ')
}

function sizeArgument (bytes: number): string {
  if (bytes % MIB === 0) {
    return `${bytes / MIB}MiB`
  }

  return bytes % KIB === 0 ? `${bytes / KIB}KiB` : String(bytes)
}
