/** The Node to write into a configuration, and what to tell the person about it. */
export interface NodePath {
  path: string
  warning?: string
}

/**
 * The path of this Node that lasts longest. Homebrew and snap keep a folder for each version and remove it at the next
 * update, while a link beside it stays.
 *
 * @param isSame whether a path leads to the very same program
 */
export function stableNode(execPath: string, isSame: (path: string) => boolean): NodePath {
  const [, homebrew, formula] = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/.exec(execPath) ?? []
  const [, snap] = /^(\/snap\/node)\/\d+\/bin\/node$/.exec(execPath) ?? []
  const lasting = homebrew ? `${homebrew}/opt/${formula}/bin/node` : snap ? `${snap}/current/bin/node` : undefined
  if (lasting && isSame(lasting)) return { path: lasting }
  if (/[\\/]fnm_multishells[\\/]/.test(execPath) || /^\/(private\/)?(tmp|var\/folders)\//.test(execPath)) {
    return {
      path: execPath,
      warning:
        `Careful: ${execPath} belongs to this terminal session and may be gone tomorrow.\n` +
        '  Start this command with a Node that stays, for example the real folder of your version manager.',
    }
  }
  const manager = /[\\/]\.?(nvm|fnm|volta|asdf|mise|nodenv|n)[\\/]/.exec(execPath)?.[1]
  if (!manager) return { path: execPath }
  return {
    path: execPath,
    warning: `Note: this Node belongs to ${manager}. If you remove this version of Node, run this command again.`,
  }
}

/** What to tell the person when the package lies where it will be cleaned away; nothing otherwise. `command` needs it. */
export function vanishingPackage(folder: string, command = 'host'): string | undefined {
  if (!/[\\/](_npx|dlx-?[^\\/]*|bunx-[^\\/]*)[\\/]/.test(folder)) return undefined
  return (
    `Careful: ferrule runs from a cache here (${folder}), which may be emptied at any time.\n` +
    '  Install it where it stays, then run this command again:\n' +
    `    npm install --global ferrule      then    ferrule ${command} ...\n` +
    `    npm install ferrule               then    npx ferrule ${command} ...   (in your project)`
  )
}
