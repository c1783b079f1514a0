import { escapeAttribute, showName } from './escape.ts'
import { page } from './page.ts'

/**
 * The first page of a gateway: a field for a CID. Needs no script, and loads nothing.
 *
 * @param refused - what was entered, and leads nowhere
 */
export function renderStart (refused?: string): string {
  return page('IPFSz gateway', `<main>
<h1>IPFSz gateway</h1>
<form action="/" method="get">
<label for="cid">CID, CID/path, or name</label>
<input id="cid" name="cid" required autofocus autocapitalize="off" autocomplete="off" spellcheck="false" \
placeholder="bafy…/folder/file.csv" value="${escapeAttribute(refused ?? '')}">
<button>Open</button>
</form>
${refused == null ? '' : `<p class="message" role="alert">${showName(refused)} is no CID, IPNS key or DNS name.</p>\n`}\
<p class="note">Or use a URL: /ipfs/CID/path or /ipns/NAME/path.</p>
</main>`)
}
