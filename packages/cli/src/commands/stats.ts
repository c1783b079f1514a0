import { countRepo } from '@ipfsz/node/stats'
import { nodeContext } from '../context.ts'
import { savedPercent } from '../terminal/add-summary.ts'
import { phraseCell, sizeCell } from '../terminal/row.ts'
import { count as counted } from '../terminal/units.ts'
import { wrap } from '../terminal/wrap.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { CompressedFiles } from '@ipfsz/node/stats'

interface Sizes {
  size: number
  storedSize: number
}

export async function stats (context: Context): Promise<void> {
  const { output } = context
  const found = await countRepo(nodeContext(context))
  const { blocks, size, storedSize, codecs, unreadable, packs, files, originalSize } = found

  output.result(
    { ...found },
    [
      output.table([
        ['Codec', 'Blocks', 'Size', 'On disk', 'Ratio'],
        ...Object.entries(codecs).map(([name, totals]) => row(name, totals)),
        row('all', { blocks, size, storedSize }),
        ...unreadable === 0 ? [] : [['unreadable', String(unreadable), '', '', '']]
      ]),
      output.table([
        ['Compressed', 'Original', 'Stored', 'Saved'],
        savedRow('files', files),
        savedRow('blocks', { size, storedSize }),
        savedRow('both', { size: originalSize, storedSize })
      ]),
      ...packs == null ? [] : [output.table([
        ['Packs', 'On disk', 'Live', 'Dead'],
        [String(packs.packs), sizeCell(packs.size), sizeCell(packs.live), sizeCell(packs.dead)]
      ])],
      wrap(explanation(files), output.width)
    ].join('\n\n')
  )
}

function row (name: string, { blocks, ...sizes }: Sizes & { blocks: number }): Cell[] {
  return [
    name,
    String(blocks),
    sizeCell(sizes.size),
    sizeCell(sizes.storedSize),
    ratioOf(sizes).toFixed(3)
  ]
}

function savedRow (name: string, { size, storedSize }: Sizes): Cell[] {
  const percent = savedPercent(size, storedSize)

  return [name, sizeCell(size), sizeCell(storedSize), phraseCell(`${percent} %`, [percent])]
}

function ratioOf ({ size, storedSize }: Sizes): number {
  return size === 0 ? 1 : storedSize / size
}

function explanation ({ count, incompletePins }: CompressedFiles): string {
  const incomplete = incompletePins === 0
    ? ''
    : ` ${counted(incompletePins, 'pin')} could not be read in full, so files may be missing: run ipfsz verify --all.`

  return `The row files covers ${counted(count, 'compressed file')} that pins reach, including dictionaries and ` +
    'bases, each block counted once. For everything else, original and stored size are the same.' + incomplete
}
