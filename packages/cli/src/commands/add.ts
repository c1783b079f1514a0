// Room: what each command does, one file each: arguments become one call of the node, whose result is printed.
import { addSources, LATEST } from '@ipfsz/node/add'
import { withTargets } from '@ipfsz/node/read'
import { nodeContext } from '../context.ts'
import { IncompleteError, UsageError } from '../errors.ts'
import { resolvePath } from '../io.ts'
import { AddPrinter } from '../terminal/add-printer.ts'
import { printedEntry, printedRoot, STDIN } from './printed-added.ts'
import { withLittleMemory } from './little-memory.ts'
import type { Context } from '../context.ts'
import type { AddPrinterInit } from '../terminal/add-printer.ts'
import type { AddSource, AddSourcesOptions } from '@ipfsz/node/add'
import type { CompressionOptions } from '@ipfsz/core'

export interface AddCommandOptions extends
  AddPrinterInit,
  Omit<AddSourcesOptions, 'base' | 'compression' | 'onEntry' | 'onRoot'> {
  compression: CompressionOptions
  /** An earlier version of each path: a CID or a name, and a path below it, or `latest`. */
  base?: string
}

/**
 * Add files and directories, or stdin for `-`. Each gets its own CID, unless they are wrapped in one directory.
 *
 * @param named - the paths. Without any, stdin is added if it is a pipe or a file
 */
export async function add (named: string[], options: AddCommandOptions, context: Context): Promise<void> {
  const { io } = context

  if (named.length === 0 && !io.stdinIsPiped) {
    throw new UsageError('No paths to add: pass files or directories, or pipe a file into ipfsz add')
  }

  const paths = named.length === 0 ? [STDIN] : named

  if (paths.filter(path => path === STDIN).length > 1) {
    throw new UsageError('- was passed more than once, but stdin can be read only once')
  }

  const { quiet, quieter, base: text, ...given } = options
  const { onlyHash = false, dryRun = false, kubo, compression: { codec } } = given
  const printed = { isAuto: codec === 'auto', onlyHash, dryRun, isInRepo: kubo == null && !onlyHash && !dryRun }
  const [earlier] = text == null || text === LATEST
    ? []
    : await withTargets(nodeContext(context), [text], async targets => targets)
  const printer = new AddPrinter({ quiet, quieter }, context.output)
  const sources = paths.map((path): AddSource => path === STDIN
    ? { open: () => io.stdin }
    : { path: resolvePath(path, io) })
  const { failed } = await withLittleMemory(async () => addSources(nodeContext(context), sources, {
    ...given,
    measures: context.output.showsProgress,
    base: text === LATEST ? text : earlier,
    ...printer.printsEntries ? { onEntry: entry => { printer.entry(printedEntry(entry)) } } : {},
    onRoot: root => { printer.root(printedRoot(root, printed, context)) }
  }))

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${paths.length} paths were not added: see the errors above`)
  }
}
