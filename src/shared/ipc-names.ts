/** Names that the preload bridge needs; apart from the schemas so that the bridge stays a few lines when bundled. */
export const channel = 'recompense:call'
export const eventChannel = 'recompense:event'
export const bridgeName = 'recompense'
