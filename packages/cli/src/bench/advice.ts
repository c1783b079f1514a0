import { printable } from '../output.ts'
import type { Row } from './estimate.ts'

const KIB = 1024
const MIB = 1024 * KIB

/**
 * The command that adds the files in a certain way, for sh.
 *
 * @param frameSize - where it is not the default
 */
export function addCommand ({ codec, level, label }: Pick<Row, 'codec' | 'level' | 'label'>, paths: readonly string[], frameSize?: number): string {
  return [
    'ipfsz add --codec',
    codec,
    // nobody need say the only level that there is
    ...level == null || label === codec ? [] : ['--level', String(level)],
    ...frameSize == null || codec === 'none' ? [] : ['--frame-size', sizeArgument(frameSize)],
    ...paths.some(path => path.startsWith('-')) ? ['--'] : [],
    ...paths.length === 1 ? [quote(paths[0])] : ['FILE...']
  ].join(' ')
}

function sizeArgument (bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB}MiB` : bytes % KIB === 0 ? `${bytes / KIB}KiB` : String(bytes)
}

/** A word as sh takes it. A name that cannot be shown as it is stays out. */
function quote (path: string): string {
  if (printable(path) !== path) {
    return 'FILE'
  }

  return /^[\w./:@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
