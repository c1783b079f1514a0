import { DEFAULT_GATEWAY_ADDRESS } from '@ipfsz/node/environment'
import { publishSite } from '@ipfsz/site'
import { nodeContext } from '../context.ts'
import { resolvePath } from '../io.ts'
import { addNotes } from '../terminal/add-summary.ts'
import { printable } from '../terminal/output.ts'
import { quote } from '../terminal/quote.ts'
import { alignedRow, tabbedRow } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import { withLabel } from '../terminal/with-label.ts'
import { wrap } from '../terminal/wrap.ts'
import type { Context } from '../context.ts'
import type { MissingNeeds, PublishedSite, PublishSiteOptions } from '@ipfsz/site'

export type SiteAddOptions = Omit<PublishSiteOptions, 'name' | 'network' | 'onProgress' | 'signal'>

const INDENT = '  '

export async function addSite (path: string, options: SiteAddOptions, context: Context): Promise<void> {
  const node = nodeContext(context)
  const { signal, onProgress, repo, bootstrap, nameGateways: gateways } = node
  const { car, ...others } = options
  const site = await publishSite(repo, resolvePath(path, context.io), {
    ...others,
    network: { gateways, bootstrap },
    car: car == null ? undefined : resolvePath(car, context.io),
    name: path,
    signal,
    onProgress
  })

  report(path, options, site, context)
}

function report (
  path: string,
  { base, car }: SiteAddOptions,
  {
    cid, tree, fetchSize, newSize, carSize, size, storedSize: stored, files, hidden, changed, pages, kept, missing,
    loaderSize, workerSize, gzip, url
  }: PublishedSite,
  { output }: Context
): void {
  const first = fetchSize + loaderSize + workerSize
  const firstGzip = fetchSize + gzip.scripts
  const [, port] = DEFAULT_GATEWAY_ADDRESS.split(':')
  const site = url ?? `http://${cid}.ipfs.localhost:${port}/`
  const { width } = output
  const sentences = [
    `a first visit to all pages fetches ${formatSize(first)} instead of ${formatSize(size)}, including ` +
      `${formatSize(workerSize)} for the service worker`,
    `from a server that compresses with gzip: ${formatSize(firstGzip)} instead of ${formatSize(gzip.plain)}`,
    'later visits fetch nothing, or only the changes of a new release under the same name',
    ...base == null ? [] : [`${formatSize(newSize)} of the release are new, pages and worker included`],
    `${count(pages, 'page')} through the loader, ${count(kept, 'file')} also uncompressed`,
    ...missing == null ? [] : [missingNote(missing)],
    ...first < size ? [] : [`this site loads faster uncompressed: ipfsz add --codec none ${quote(path, 'DIRECTORY')}`],
    ...addNotes({ hidden, executables: 0, changed, content: undefined })
  ]

  output.result(
    {
      cid: cid.toString(),
      tree: tree.toString(),
      files,
      pages,
      kept,
      size,
      storedSize: stored,
      loaderSize,
      workerSize,
      firstVisit: { compressed: first, plain: size, compressedGzip: firstGzip, plainGzip: gzip.plain },
      ...base == null ? {} : { newSize },
      ...car == null ? {} : { car, carSize },
      ...missing == null ? {} : { missing },
      ...url == null ? {} : { url }
    },
    [
      output.stdout.isTTY === true ? alignedRow([cid.toString(), path], width) : tabbedRow([cid.toString(), path]),
      '',
      ...wrap(`${count(files, 'file')}, ${formatSize(size)}, stored in ${formatSize(stored)}, and ${
        formatSize(loaderSize + workerSize)} for loader and worker`, width).split('\n'),
      ...sentences.flatMap(sentence => wrap(output.typed(sentence), width - INDENT.length).split('\n'))
        .map(line => INDENT + line),
      ...car == null ? [] : withLabel(`${INDENT}CAR, ${formatSize(carSize ?? 0)}: `, printable(car), width),
      ...withLabel(`${INDENT}open it: ${url == null ? output.typed('ipfsz gateway, then ') : ''}`, site, width)
    ].join('\n')
  )
}

/** A browser whose first visit is to an uncompressed page has no worker yet that would serve the files of the page. */
function missingNote ({ page, pages, patterns }: MissingNeeds): string {
  const others = pages > 1
    ? ` and ${count(pages - 1, 'other page')} are uncompressed, but need files that are not`
    : undefined

  return `${page}${others ?? ' is uncompressed, but needs files that are not'}: also pass ` +
    patterns.map(pattern => `--keep '${pattern}'`).join(' ')
}
