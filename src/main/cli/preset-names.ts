/** Presets that single stages can take their settings from; apart from their values so that help stays light. */
export const presetNames = ['minimum', 'embedded'] as const
export type PresetName = (typeof presetNames)[number]
