import { forgetOld } from '../ipfs/catalogue.ts'
import { openStore } from '../ipfs/store.ts'
import { addPanel } from './add-panel.ts'
import { AddressBar } from './address-bar.ts'
import { byId, failure } from './dom.ts'
import { showCost } from './cost.ts'
import { showLibrary } from './library.ts'
import { registerWorker } from './offline.ts'
import { peerPanel } from './peer-panel.ts'
import { PlayedFiles } from './played-files.ts'
import { Viewer } from './viewer.ts'
import type { App } from './app.ts'

async function start (players: PlayedFiles): Promise<void> {
  const store = await openStore('ipfsz-demo')
  const peers = peerPanel(store, () => { bar.addPeers() })
  const bar = new AddressBar(peers, () => viewer)

  const app: App = {
    store,
    source: () => peers.node()?.source ?? store.blockstore,
    node: () => peers.node(),
    players,
    open: async (address, options) => viewer.open(address, options),
    refresh: async () => showLibrary(app)
  }
  const viewer = new Viewer(app, bar)

  addPanel(app)
  await forgetOld(store)
  await app.refresh()
  // the tests wait for this
  document.body.dataset.ready = ''
  await bar.follow()
}

start(new PlayedFiles(registerWorker())).catch(err => { byId('add').prepend(failure(err)) })
void showCost()
