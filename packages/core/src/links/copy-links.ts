import { DefaultLinks } from './default-links.ts'
import { decodeForward, FORWARD, UNCHECKED } from './link-entries.ts'
import { queryLinks } from './link-query.ts'
import type { Link, LinkDatastore, LinkOptions, LinksComponents } from './links.ts'

/** What became of a link: copied, left alone since its original is linked already, or without its file. */
export type LinkOutcome = 'copied' | 'there' | 'missing'

/**
 * Copy links to another store, with what their comparisons found, so that no file is read again. An original that is
 * linked there already keeps its link.
 *
 * @param from - whose links are taken as they are: copy only from a store of your own
 * @param to - `missing` are the links to files whose root this blockstore lacks
 * @throws {InvalidLinkError} an entry is damaged
 */
export async function * copyLinks (
  from: LinkDatastore,
  to: { blockstore: LinksComponents['blockstore'], datastore: LinkDatastore },
  options: LinkOptions = {}
): AsyncGenerator<{ link: Link, outcome: LinkOutcome }> {
  const links = new DefaultLinks({ ...to, read: nothing })

  for await (const entries of queryLinks(from, FORWARD, options.signal)) {
    for (const entry of entries) {
      options.signal?.throwIfAborted()
      const link = decodeForward(entry)

      if (await links.linkOf(link.original) != null) {
        yield { link, outcome: 'there' }
        continue
      }

      try {
        await links.addChecked({ ...link, check: link.check ?? UNCHECKED }, options)
        yield { link, outcome: 'copied' }
      } catch (err) {
        if (!(err instanceof Error) || err.name !== 'LinkedFileMissingError') {
          throw err
        }

        yield { link, outcome: 'missing' }
      }
    }
  }
}

/** Nothing is compared, so nothing is read. */
async function * nothing (): AsyncGenerator<Uint8Array> {
  // no bytes
}
