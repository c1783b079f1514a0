/** The service worker of the page. Its own address says which gateways it asks. */
import { registerIpfsz } from '@ipfsz/gateway/service-worker'

const fetched = new BroadcastChannel('fetched')

registerIpfsz({
  gateways: new URL(location.href).searchParams.getAll('gateway'),
  onBlock: ({ root, size }) => { fetched.postMessage({ root: root.toString(), size }) }
})
