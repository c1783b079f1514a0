import { printable } from './output.ts'
import { DEFAULT_COLUMNS } from './columns.ts'
import { count, formatSize } from './units.ts'
import { indented, withLabel } from './with-label.ts'
import { wrap } from './wrap.ts'
import type { ChangedFiles, TreeContent } from '@ipfsz/node/add'
import type { PrintedRoot } from './printed-add.ts'

/** Below this many bytes a percentage says nothing: a block of any file has a few dozen bytes of its own. */
const MIN_MEASURED_SIZE = 512
const INDENT = '  '
/** Columns of a label and the gap after it. With it, a line with a marked CID has 78. */
const LABEL_WIDTH = 12

/**
 * A few lines for people about what was added. They fit the terminal, except for single names, CIDs, commands and URLs
 * that are longer than a line. Each of these begins a line of its own then, so that it can be copied.
 *
 * @param columns - of the terminal, if it says
 */
export function addSummary (root: PrintedRoot, columns: number | undefined): string {
  // some terminals report 0, and some wrap in the last column
  const width = (columns || DEFAULT_COLUMNS) - 1
  const { cid, plainCid, next, url, onlyHash, dryRun, newSize = 0 } = root

  return [
    ...withLabel(`${title(root)}: `, sizes(root), width),
    ...prose(filesOf(root), width),
    ...prose(knownOf(root), width),
    ...prose(chosenOf(root), width),
    ...cid === plainCid
      ? withLabel(label('for all'), cid, width)
      : [...withLabel(label('for IPFSz'), cid, width), ...withLabel(label('for others'), plainCid, width)],
    ...cid === plainCid ? [] : prose(othersOf(root), width),
    ...next == null ? [] : [indented(next, width)],
    ...url == null ? [] : [indented(url, width)],
    ...onlyHash ? prose('Nothing was stored: to store it, omit --only-hash', width) : [],
    ...dryRun
      ? prose(`${formatSize(newSize)} would be newly stored. Nothing was stored: to store it, omit --dry-run`, width)
      : [],
    ...addNotes(root).flatMap(note => prose(note, width))
  ].join('\n')
}

/** What adding left out or lost, and what may be torn. */
export function addNotes (
  { hidden, executables, changed, content }: Pick<PrintedRoot, 'hidden' | 'executables' | 'changed' | 'content'>
): string[] {
  const bits = content == null
    ? 'the executable bit is not kept'
    : `the executable ${executables === 1 ? 'bit of 1 file is' : `bits of ${executables} files are`} not kept`

  const skipped = hidden === 1
    ? '1 hidden entry was skipped: add it with --hidden'
    : `${hidden} hidden entries were skipped: add them with --hidden`

  return [
    ...hidden === 0 ? [] : [skipped],
    ...executables === 0 ? [] : [`${bits}: keep modes with --preserve-mode`],
    ...changed.count === 0 ? [] : [changedNote(changed, content != null)]
  ]
}

/** @param isTree - whether the files have paths below what was added */
function changedNote ({ count, first }: ChangedFiles, isTree: boolean): string {
  const files = count === 1 ? printable(first) : `${printable(first)} and ${count - 1} more`
  const was = count === 1 ? 'it was' : 'they were'
  const advice = 'parts of different versions may be stored. Add it again when nothing is writing to it'

  return `${isTree ? `${files} ` : ''}changed while ${was} read: ${advice}`
}

/** The share of the original bytes that is not stored, in percent with one decimal. Never rounded up to 100. */
export function savedPercent (size: number | bigint, storedSize: number | bigint): number {
  return Number(size) === 0 ? 0 : Math.max(0, Math.floor((1 - Number(storedSize) / Number(size)) * 1000) / 10)
}

function title ({ name, content }: PrintedRoot): string {
  if (name === '') {
    return 'new directory'
  }

  return name === '-' && content == null ? 'stdin' : printable(name)
}

function sizes ({ size, storedSize, codec, content, newSize, dryRun }: PrintedRoot): string {
  if (newSize != null && !dryRun) {
    return `${formatSize(size)}, ${formatSize(newSize)} newly stored`
  }

  if (content == null && codec === 'none') {
    return `${formatSize(size)}, stored uncompressed`
  }

  const percent = savedPercent(size, storedSize)
  const saved = percent > 0 ? `${percent} % saved` : 'nothing saved'

  return `${formatSize(size)} -> ${formatSize(storedSize)}${Number(size) < MIN_MEASURED_SIZE ? '' : `, ${saved}`}`
}

function filesOf ({ content, storedSize, newSize, dryRun }: PrintedRoot): string {
  const bases = newSize == null || dryRun ? '' : `, stored in ${formatSize(storedSize)} plus earlier versions`

  return content == null ? '' : `${count(content.files, 'file')}, ${content.compressed || 'none'} compressed${bases}`
}

/** What became of the files since they were added before. */
function knownOf ({ known, content }: PrintedRoot): string {
  if (known == null || content == null) {
    return known == null ? '' : `${known.unchanged > 0 ? 'unchanged' : 'changed'} since it was added before`
  }

  return `${known.new || 'none'} new, ${known.changed || 'none'} changed, ${known.unchanged || 'none'} unchanged`
}

/** The codecs that `--codec auto` chose. */
function chosenOf ({ chosen, content }: PrintedRoot): string {
  const codecs = Object.entries(chosen ?? {}).toSorted(([, a], [, b]) => b - a)
    .map(([codec, files]) => content == null ? codec : `${codec} for ${count(files, 'file')}`)

  return codecs.length === 0 ? '' : `chosen: ${codecs.join(', ')}`
}

/** What other nodes can do with the plain CID. */
function othersOf ({ readableWith, content }: PrintedRoot): string {
  if (content != null) {
    return othersOfTree(content)
  }

  return readableWith == null
    ? 'Others can pin it, but only IPFSz can read it'
    : `Others can pin it, and read it with ${readableWith}`
}

/** The same of a directory: how many of its files they can read, and how. */
function othersOfTree ({ files, compressed, readableWith, onlyIpfsz }: TreeContent): string {
  const all = files === 1 ? 'its file' : `all ${count(files, 'file')}`

  if (onlyIpfsz === files) {
    return `Others can pin it, but only IPFSz can read ${files === 1 ? all : `its ${count(files, 'file')}`}`
  }

  const plain = files - compressed
  const tools = Object.entries(readableWith).toSorted(([, a], [, b]) => b - a)

  if (onlyIpfsz === 0 && plain === 0 && tools.length === 1) {
    return `Others can pin it, and read ${all} with ${tools[0][0]}`
  }

  const read = onlyIpfsz === 0 ? all : `${files - onlyIpfsz} of ${count(files, 'file')}`
  const ways = [
    ...tools.map(([tool, number]) => `${number} with ${tool}`),
    ...plain === 0 ? [] : [`${plain} as stored`]
  ]
  const rest = onlyIpfsz === 0 ? '' : `. Only IPFSz can read the other ${onlyIpfsz === 1 ? 'one' : onlyIpfsz}`

  return `Others can pin it, and read ${read}: ${ways.join(', ')}${rest}`
}

function label (text: string): string {
  return `${INDENT}${text.padEnd(LABEL_WIDTH)}`
}

function prose (text: string, width: number): string[] {
  return text === '' ? [] : wrap(text, width - INDENT.length).split('\n').map(line => `${INDENT}${line}`)
}
