/** A line to type, and what it does. */
export interface Example {
  line: string
  does: string
}

/** Headings for the list of all commands, in order, and the commands below each. */
export const COMMAND_GROUPS: ReadonlyArray<readonly [heading: string, commands: readonly string[]]> = [
  ['Add and read files:', ['add', 'cat', 'get', 'ls', 'tree', 'find', 'stat', 'diff']],
  ['Keep, delete and move:', ['log', 'forget', 'pin', 'rm', 'gc', 'car', 'link', 'import', 'migrate']],
  ['Check and repair:', ['verify', 'repair']],
  [
    'Share with other nodes and browsers:',
    ['daemon', 'gateway', 'originals', 'site', 'name', 'providers', 'id', 'peers', 'connect']
  ],
  ['Choose how to compress:', ['bench', 'codecs', 'cid']],
  ['Manage the repo:', ['init', 'config', 'stats', 'du', 'blockstore']],
  ['About this command:', ['help', 'version', 'completion']]
]

/** The options that most people need, in order, of commands with many. Their other options come after them. */
export const COMMON_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  add: [
    '--codec', '--level', '--link', '--ignore', '--gitignore', '--hidden', '--wrap-with-directory', '--dry-run',
    '--only-hash', '--quieter'
  ],
  get: ['--output', '--force'],
  daemon: ['--gateway', '--gateway-fetch', '--serve-originals', '--provide', '--listen', '--bootstrap'],
  gateway: ['--listen', '--public', '--fetch', '--gateway', '--cache', '--compress', '--log']
}

const examples = (...pairs: Array<[line: string, does: string]>): Example[] =>
  pairs.map(([line, does]) => ({ line: `ipfsz ${line}`, does }))

/** Two examples of each command, and of `ipfsz` itself. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': examples(
    ['add report.csv', 'Add a file and print its CID'],
    ['cat CID', 'Read it']
  ),
  add: examples(
    ['add report.csv photos', 'Add a file and a directory'],
    ['add --codec auto --quieter report.csv', 'Let ipfsz choose the codec; print only the CID']
  ),
  cat: examples(
    ['cat CID/report.csv | head', 'Read a file in a directory'],
    ['cat --offset 1000000 --length 500 CID', 'Read 500 bytes, fetching only the blocks that hold them']
  ),
  get: examples(
    ['get CID -o copy.csv', 'Write a file to disk'],
    ['get CID --gateway https://example.com', 'Fetch it from a gateway before asking peers']
  ),
  ls: examples(
    ['ls CID', 'List a directory'],
    ['ls -l -R CID/photos', 'List a subdirectory recursively, with modes and times']
  ),
  tree: examples(
    ['tree CID', 'Show everything below a directory'],
    ['tree -L 1 CID/photos', 'Show only what is in a subdirectory']
  ),
  find: examples(
    ['find report.csv', 'Find a file in all pins'],
    ['find "*.csv" CID', 'Find all CSV files in a directory']
  ),
  stat: examples(
    ['stat CID', 'Show sizes, codec and both CIDs'],
    ['stat --offline CID/report.csv', 'Show them without using the network']
  ),
  diff: examples(
    ['diff CID1 CID2', 'List what differs between two directories'],
    ['diff --content CID1 CID2', 'Also compare contents where CIDs cannot show equality']
  ),
  'site add': examples(
    ['site add dist', 'Publish the built site in a directory'],
    ['site add dist --base latest --car site.car', 'Publish the next release, and write it for a pinning service']
  ),
  'pin add': examples(
    ['pin add CID', 'Pin a file or directory'],
    ['pin add CID1 CID2', 'Pin several']
  ),
  'pin rm': examples(
    ['pin rm CID', 'Unpin it; the next ipfsz gc deletes the blocks that no other pin needs'],
    ['pin rm CID1 CID2', 'Unpin several']
  ),
  'pin ls': examples(
    ['pin ls -l', 'List all pins, with names, sizes and dates'],
    ['pin ls --json', 'List them for a script, with both CIDs']
  ),
  rm: examples(
    ['rm CID', 'Unpin a file and delete its links'],
    ['rm CID1 CID2 && ipfsz gc', 'Delete two and free their space']
  ),
  gc: examples(
    ['gc --dry-run', 'Show how much would be deleted'],
    ['gc', 'Delete all unpinned blocks']
  ),
  'car export': examples(
    ['car export CID -o report.car', 'Export a file to a CAR'],
    ['car export CID -o - | ipfs dag import', 'Import it into Kubo']
  ),
  'car import': examples(
    ['car import report.car', 'Add the blocks of a CAR and pin its roots'],
    ['car import - < report.car', 'Read the CAR from stdin']
  ),
  import: examples(
    ['import --from-kubo http://127.0.0.1:5001', 'Compress everything pinned in a Kubo node'],
    ['import --from-kubo ~/.ipfs --replace CID', 'Compress one pin, then unpin it in Kubo']
  ),
  migrate: examples(
    ['migrate ~/.ipfsz /data/ipfsz', 'Copy a repo to another disk'],
    ['migrate --dry-run ~/.ipfsz /data/ipfsz', 'Show how much remains to be copied']
  ),
  'link add': examples(
    ['link add ORIGINAL MARKED', 'Read a compressed file by the CID of its original'],
    ['link add --unchecked ORIGINAL MARKED', 'Link them without comparing contents']
  ),
  'link rm': examples(
    ['link rm ORIGINAL', 'Delete the link from an original'],
    ['link rm MARKED', 'Delete the link to a compressed file']
  ),
  'link ls': examples(
    ['link ls', 'List all links'],
    ['link ls --json', 'List them for a script']
  ),
  'originals index': examples(
    ['originals index', 'Index the originals of all linked files'],
    ['originals index --layout unixfs-v0-2015', 'Also compute the CIDs that ipfs add gives them']
  ),
  'originals ls': examples(
    ['originals ls', 'List the originals that can be served'],
    ['originals ls --json', 'List them for a script']
  ),
  forget: examples(
    ['forget photos --keep-daily 7 --keep-monthly 12 --dry-run', 'Show what would be forgotten'],
    ['forget photos docs --keep-last 3', 'Keep three versions of each']
  ),
  log: examples(
    ['log photos', 'List the versions of photos, newest first'],
    ['log --json photos | head -1', 'Print the newest version for a script']
  ),
  verify: examples(
    ['verify CID', 'Check one file or directory'],
    ['verify --all', 'Check all pins']
  ),
  repair: examples(
    ['repair', 'Repair all pins'],
    ['repair CID --peer MULTIADDR', 'Fetch the missing blocks of one file from a peer']
  ),
  daemon: examples(
    ['daemon', 'Serve the repo to other nodes until Ctrl-C'],
    ['daemon --gateway --gateway-fetch', 'Also run a gateway that fetches missing blocks']
  ),
  gateway: examples(
    ['gateway', 'Serve the repo at http://127.0.0.1:8080'],
    ['gateway --listen 0.0.0.0:8080 --public --fetch', 'Serve other machines too, and fetch missing blocks']
  ),
  'name publish': examples(
    ['name publish CID', 'Publish under the key of this node'],
    ['name publish CID/photos --key holiday', 'Publish under a separate key']
  ),
  'name resolve': examples(
    ['name resolve NAME', 'Print the CID that a name points to'],
    ['name resolve --timeout 2m NAME', 'Search for two minutes']
  ),
  providers: examples(
    ['providers CID', 'Find the peers that advertise it'],
    ['providers --timeout 10s CID', 'Search for ten seconds']
  ),
  id: examples(
    ['id', 'Show the peer ID and the addresses of the daemon'],
    ['id --json', 'Show them for a script']
  ),
  peers: examples(
    ['peers', 'List all peers, with addresses'],
    ['peers --json | wc -l', 'Count them']
  ),
  connect: examples(
    ['connect /ip4/192.0.2.7/tcp/4101/p2p/ID', 'Connect the daemon to a peer'],
    ['connect --timeout 10s MULTIADDR', 'Give up after ten seconds']
  ),
  bench: examples(
    ['bench report.csv', 'Compare all codecs on a file'],
    ['bench --codec zstd photos', 'Also tell which options of add pay for a directory']
  ),
  codecs: examples(
    ['codecs', 'List codecs and their levels'],
    ['codecs --json', 'List them for a script']
  ),
  'cid mark': examples(
    ['cid mark CID --codec zstd', 'Print the marked CID of a compressed file'],
    ['cid mark CID --codec tree', 'Print the marked CID of a directory']
  ),
  'cid plain': examples(
    ['cid plain CID', 'Print the CID for other IPFS nodes'],
    ['cid plain "$(ipfsz add -Q report.csv)"', 'Print the plain CID of a new file']
  ),
  init: examples(
    ['init', 'Create a repo in ~/.ipfsz'],
    ['init --store /mnt/site', 'Create a repo that shares blocks and pins with other nodes']
  ),
  'config set': examples(
    ['config set add.codec auto', 'Let ipfsz choose the codec of each file'],
    ['config set gateway.listen 127.0.0.1:8090', 'Let ipfsz gateway listen on another port']
  ),
  'config rm': examples(
    ['config rm add.codec', 'Go back to zstd'],
    ['config rm bootstrap gateways', 'Remove two settings']
  ),
  'config ls': examples(
    ['config ls', 'List what is set'],
    ['config ls --json', 'List it for a script']
  ),
  stats: examples(
    ['stats', 'Count blocks and show the space saved'],
    ['stats --json', 'Print the counts for a script']
  ),
  du: examples(
    ['du CID', 'Show the size of each directory entry, and the total'],
    ['du -s', 'Show what each pin adds, and the total']
  ),
  'blockstore convert': examples(
    ['blockstore convert --layout packs', 'Move all blocks into packs, as in new repos'],
    ['blockstore convert --codec zstd', 'Compress all blocks on disk, if each has its own file']
  ),
  help: examples(
    ['help pin', 'Show the help of a command'],
    ['help pin ls', 'Show the help of a subcommand']
  ),
  version: examples(
    ['version', 'Print the version'],
    ['version --json', 'Also print the version of Node']
  ),
  completion: examples(
    ['completion bash >> ~/.bashrc', 'Complete commands, options and CIDs in bash'],
    ['completion fish > ~/.config/fish/completions/ipfsz.fish', 'Complete them in fish']
  )
}
