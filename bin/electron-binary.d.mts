export function electronBinary(folder: string): string | undefined
