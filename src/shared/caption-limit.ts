/** Characters of a caption of one's own: longer than any caption, short enough for a page. */
export const longestCaption = 2000
