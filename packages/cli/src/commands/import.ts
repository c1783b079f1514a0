import * as node from '@ipfsz/node/import'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { resolvePath } from '../io.ts'
import { phraseCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { ImportedPin } from '@ipfsz/node/import'

export interface ImportCommandOptions {
  /** The address of the RPC API of a running Kubo, or the directory of its repo, which has that address. */
  fromKubo: string
  /** Unpin in Kubo what is imported. */
  replace: boolean
  compression: CompressionOptions
}

export async function importFromKubo (
  texts: string[],
  { fromKubo, ...options }: ImportCommandOptions,
  context: Context
): Promise<void> {
  const { io, output } = context
  const kubo = fromKubo.includes('://') ? fromKubo : resolvePath(fromKubo, io)
  const { failed, moved } = await node.importFromKubo(nodeContext(context), kubo, texts, {
    ...options,
    onImported (pin) { print(pin, context) },
    onFailed (root, error) { output.error(`${root}: ${explain(error)}`, error) }
  })

  if (moved > 0) {
    output.note(`${count(moved, 'pin')} moved here from Kubo: ipfs repo gc deletes their blocks there`)
  }

  if (failed > 0) {
    const were = failed === 1 ? 'was' : 'were'
    throw new IncompleteError(`${count(failed, 'pin')} ${were} not imported: see the errors above`)
  }
}

function print (pin: ImportedPin, { output }: Context): void {
  const original = pin.original.toString()

  if (pin.state === 'there') {
    output.row({ original, cid: original, state: 'there' }, [original, phraseCell('is here', ['there'])])
    return
  }

  const { cid, compressed, unknown, plain } = pin.imported

  output.row(
    { original, cid: cid.toString(), compressed, plain, unknown, state: 'imported' },
    [
      original,
      cid.toString(),
      phraseCell(
        `${count(compressed, 'file')} compressed, ${count(plain + unknown, 'file')} not compressed`,
        [compressed, plain + unknown]
      )
    ]
  )

  if (unknown > 0) {
    output.note(
      `${count(unknown, 'file')} of ${original} stayed uncompressed: no known importer settings produce their CIDs`
    )
  }
}
