/**
 * The Content-Security-Policy of what strangers publish, where it is shown below the host name of another site: it gets
 * an origin that nobody shares, so it reads no cookies and no storage of the site, and registers no service worker.
 * All else goes on as before: scripts, forms, windows, downloads. Of all types, because browsers run scripts not only
 * in HTML, and `?filename=` chooses the type.
 */
const SANDBOX = 'sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock ' +
  'allow-popups allow-popups-to-escape-sandbox allow-presentation allow-scripts allow-top-navigation-by-user-activation'

/** The type of documents that browsers show in a viewer of their own. */
const PDF = 'application/pdf'

/** Besides the policy of a page that the gateway makes. */
export function addSandbox (headers: Headers): void {
  if (headers.get('content-type') === PDF) {
    // Chromium shows none in a sandbox. Scripts of PDFs have no origin, and reach no page
    headers.set('x-content-type-options', 'nosniff')
  } else {
    headers.append('content-security-policy', SANDBOX)
  }
}
