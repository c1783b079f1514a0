import { createRequire } from 'node:module'
import { Command, Option } from 'commander'
import { Output } from './output.ts'
import { parseNumber, parseSize } from './units.ts'
import type { BenchCommandOptions } from './commands/bench.ts'
import type { Context } from './context.ts'
import type { CompressionOptions } from '@ipfsz/core'

const CODECS = ['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo']

interface GlobalOptions {
  repo?: string
  json?: boolean
  verbose?: boolean
}

/** The command line. Each command is loaded when it is called. */
export function createProgram (signal: AbortSignal): Command {
  const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
  const program = new Command('ipfsz')

  const context = (): Context => {
    const { repo, json = false, verbose = false } = program.opts<GlobalOptions>()

    return { output: new Output({ json, verbose }), signal, ...repo == null ? {} : { repo } }
  }

  program
    .description('Add files to IPFS compressed, and read them back as they were.')
    .version(version)
    .option('--repo <dir>', 'where blocks are kept (default: $IPFSZ_PATH or ~/.ipfsz)')
    .option('--json', 'print results as JSON, an object a line')
    .option('--verbose', 'show where an error came from')
    .exitOverride()
    .configureOutput({
      outputError: (message, write) => { write(`ipfsz: ${message.replace(/^error: /, '').trim().replaceAll(/\s*\n\s*/g, ' ')} (see ipfsz --help)\n`) }
    })

  program.command('add')
    .description('add files, - is stdin')
    .argument('<file...>')
    .addOption(new Option('--codec <name>', 'how to compress').choices([...CODECS, 'none']).default('zstd'))
    .option('--level <n>', 'how hard to try (ipfsz codecs shows the levels)', parseNumber)
    .option('--frame-size <size>', 'original bytes in a frame, 64KiB to 16MiB (default: 4MiB)', parseSize)
    .option('--no-detect', 'compress also what is not worth it')
    .option('--deterministic', 'give the CID that a browser would give, too')
    .option('-Q, --quieter', 'print only the CID')
    .action(async (files: string[], { quieter = false, deterministic = false, ...compression }: CompressionOptions & { quieter?: boolean, deterministic?: boolean }) => {
      const { add } = await import('./commands/add.ts')
      await add(files, { compression, deterministic, quieter }, context())
    })

  program.command('cat')
    .description('write a file to stdout')
    .argument('<cid>')
    .option('--offset <n>', 'begin at this byte', parseNumber)
    .option('--length <n>', 'write so many bytes', parseNumber)
    .option('--raw', 'the bytes as they are stored')
    .action(async (cid: string, { offset, length, raw = false }: { offset?: number, length?: number, raw?: boolean }) => {
      const { cat } = await import('./commands/cat.ts')
      await cat(cid, { offset, length, raw }, context())
    })

  program.command('get')
    .description('write a file to disk')
    .argument('<cid>')
    .option('-o, --output <path>', 'where to (default: the CID, in this directory)')
    .action(async (cid: string, options: { output?: string }) => {
      const { get } = await import('./commands/get.ts')
      await get(cid, options, context())
    })

  program.command('stat')
    .description('show sizes, codec and both CIDs of a file')
    .argument('<cid>')
    .action(async (cid: string) => {
      const { stat } = await import('./commands/stat.ts')
      await stat(cid, context())
    })

  program.command('bench')
    .description('compare codecs and levels on files of yours, and say which to use')
    .argument('<file...>')
    .option('--codec <names>', 'only these, as zstd,gzip', collect(text => text))
    .option('--level <numbers>', 'only these, as 1,3,9', collect(parseNumber))
    .option('--frame-size <size>', 'original bytes in a frame, 64KiB to 16MiB (default: 4MiB)', parseSize)
    .option('--time <seconds>', 'how long measuring may take (default: 15)', parseNumber)
    .action(async (files: string[], options: BenchCommandOptions) => {
      const { bench } = await import('./commands/bench.ts')
      await bench(files, options, context())
    })

  const cid = program.command('cid').description('turn plain CIDs into marked ones and back')

  cid.command('mark')
    .description('the marked twin of a plain CID')
    .argument('<cid>')
    .addOption(new Option('--codec <name>', 'what the file is compressed with').choices([...CODECS, 'tree']).makeOptionMandatory())
    .action(async (text: string, { codec }: { codec: string }) => {
      const { markCid } = await import('./commands/cid.ts')
      markCid(text, codec, context())
    })

  cid.command('plain')
    .description('the plain twin of a marked CID, which any IPFS node knows')
    .argument('<cid>')
    .action(async (text: string) => {
      const { plainCid } = await import('./commands/cid.ts')
      plainCid(text, context())
    })

  program.command('codecs')
    .description('show the codecs and what runs them here')
    .action(async () => {
      const { codecs } = await import('./commands/codecs.ts')
      codecs(context())
    })

  return program
}

/** The values of an option that is given several times, or once with commas. */
function collect<T> (parse: (text: string) => T): (text: string, before?: T[]) => T[] {
  return (text, before = []) => [...before, ...text.split(',').map(part => parse(part.trim()))]
}
