/**
 * The report as one LaTeX file for pdflatex, with packages of the base and recommended collections only; Latin Modern is
 * taken where it is installed. Figures are the PDFs in the folder beside it.
 */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { utc } from '../number-text.ts'
import { reportTitle } from '../report-title.ts'
import type { Section } from '../section.ts'
import { lightStyle } from '../svg/light-style.ts'
import { texBlock, texRoom } from './blocks.ts'
import { asciiOnly, type TexWriter, texWriter } from './escape.ts'

/** Marks a file as a report; it begins the first line. */
export const texMark = '% Recompense study report'

const colours = ['ink', 'muted', 'panel', 'good', 'bad', 'reward', 'rubric', 'reference', 'policy', 'critic'] as const
/** More code points than this are counted, not named. */
const named = 60

export function reportTex(document: StudyDocument, sections: readonly Section[], figureFolder: string): string {
  const tex = texWriter()
  const body = sections.map((section) =>
    [
      `\\needroom{${24 + texRoom(section.blocks)}mm}`,
      `\\section{${tex.text(section.title)}}\\label{${section.id}}`,
      `\\question{${tex.text(section.question)}}\n`,
      ...section.blocks.map((block, index) => texBlock(tex, block, section.blocks.slice(index + 1), figureFolder)),
    ].join('\n'),
  )
  const front = frontMatter(tex, document)
  return `${texMark} of ${asciiOnly(document.study_id)}. Run pdflatex until it asks for no other run: two or three times.
${preamble(document, tex)}
\\begin{document}
${front}
\\tableofcontents
\\clearpage

${body.join('\n')}
${characterNote(tex)}
\\end{document}
`
}

function preamble(document: StudyDocument, tex: TexWriter): string {
  const definitions = colours.map(
    (name) => `\\definecolor{${name}}{HTML}{${lightStyle().colour(name).slice(1).toUpperCase()}}`,
  )
  return `\\documentclass[10pt,a4paper]{article}
\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}{}
\\usepackage[left=17.5mm,right=17.5mm,top=24mm,bottom=22mm]{geometry}
\\usepackage{amssymb,array,booktabs,longtable,graphicx,fancyhdr}
\\usepackage[table]{xcolor}
\\usepackage[font=small,labelfont=bf,justification=raggedright,singlelinecheck=false,skip=4pt,hypcap=false]{caption}
\\usepackage[unicode,hidelinks]{hyperref}
\\hypersetup{pdftitle={${asciiOnly(reportTitle(document))}},pdfcreator={Recompense}}
${definitions.join('\n')}
\\newcommand{\\straightquote}{\\texttt{\\char34}}
\\newcommand{\\charcode}[1]{\\texttt{{[}U+#1{]}}\\allowbreak{}}
\\newcommand{\\linemark}{\\ensuremath{\\hookleftarrow}}
\\newcommand{\\needroom}[1]{\\par\\ifdim\\pagetotal>0pt\\ifdim\\dimexpr\\pagegoal-\\pagetotal\\relax<#1\\relax\\clearpage\\fi\\fi}
\\newcommand{\\tablesize}{\\footnotesize\\setlength{\\tabcolsep}{4pt}}
\\newcommand{\\lead}[1]{{\\large #1\\par}\\medskip}
\\newcommand{\\note}[1]{{\\footnotesize\\textcolor{muted}{#1}\\par}\\smallskip}
\\newcommand{\\question}[1]{\\textcolor{muted}{\\textit{#1}}\\par\\nopagebreak\\smallskip}
\\newcommand{\\exchange}[2]{\\needroom{32mm}\\medskip\\textbf{#1}\\par\\nopagebreak\\textcolor{muted}{\\textit{#2}}\\par\\nopagebreak}
\\newcommand{\\response}[3]{\\par\\smallskip\\noindent\\begin{minipage}[t]{24mm}\\raggedright\\textbf{#1}\\end{minipage}\\hfill
\\begin{minipage}[t]{148mm}\\raggedright #2\\par{\\scriptsize\\textcolor{muted}{#3}}\\end{minipage}\\par}
\\newcommand{\\highlight}[4]{\\begin{minipage}[t]{41mm}\\raggedright\\textcolor{#1}{\\rule{\\linewidth}{1.2pt}}\\\\
{\\footnotesize\\textcolor{muted}{#2}}\\\\{\\LARGE\\bfseries\\textcolor{#1}{#3}}\\\\{\\footnotesize\\textcolor{muted}{#4}}\\end{minipage}}
\\setlength{\\parindent}{0pt}
\\setlength{\\parskip}{4pt plus 1pt}
\\setlength{\\emergencystretch}{3em}
\\setlength{\\LTleft}{0pt}
\\raggedbottom
\\clubpenalty=10000
\\widowpenalty=10000
\\renewcommand{\\labelitemi}{\\ensuremath{\\bullet}}
\\pagestyle{fancy}
\\fancyhf{}
\\fancyhead[L]{\\footnotesize\\textcolor{muted}{${tex.text(shortName(document))}}}
\\fancyhead[R]{\\footnotesize\\textcolor{muted}{${tex.text(document.study_id)}}}
\\fancyfoot[R]{\\footnotesize\\thepage}
\\setlength{\\headheight}{13.6pt}`
}

/** The running head has half a line. */
function shortName(document: StudyDocument): string {
  const name = [...document.name]
  return `${name.length <= 40 ? document.name : `${name.slice(0, 39).join('')}…`}, seed ${document.seed}`
}

function frontMatter(tex: TexWriter, document: StudyDocument): string {
  const identity = `${document.study_id} · ${document.status} · ${utc(document.finished_at ?? document.created_at)}`
  return `\\thispagestyle{empty}
\\note{${tex.text('Recompense · study report')}}
{\\huge\\bfseries\\raggedright ${tex.text(document.name)}\\par}
\\lead{${tex.text(`seed ${document.seed} · preset ${document.preset}`)}}
\\note{${tex.text(identity)}}
\\bigskip`
}

/** Says which characters of the data stand here as code points, where any do. */
function characterNote(tex: TexWriter): string {
  const codes = [...tex.missing].sort((one, other) => one - other)
  if (codes.length === 0) return ''
  const list = codes.slice(0, named).map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
  const more = codes.length > named ? ` and ${codes.length - named} more` : ''
  const count = codes.length === 1 ? 'One character' : `${codes.length} characters`
  return `\n\\bigskip\\note{${tex.text(`Note on characters. ${count} of the data cannot be set with this file’s fonts and stand as code points: ${list.join(', ')}${more}. The HTML and JSON reports have them as they are.`)}}`
}
