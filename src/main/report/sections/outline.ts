/** The sections in the order of the questions a researcher asks. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import type { Section } from '../section.ts'
import { configurationSection } from './configuration.ts'
import { creditSection } from './credit.ts'
import { dataSection } from './data.ts'
import { headlineSection } from './headline.ts'
import { heldOutSection } from './held-out.ts'
import { integritySection } from './integrity.ts'
import { limitsSection } from './limits.ts'
import { pipelineSection } from './pipeline.ts'
import { ppoSection } from './ppo.ts'
import { probesSection } from './probes.ts'
import { provenanceSection } from './provenance.ts'
import { quadrantsSection } from './quadrants.ts'
import { rewardModelSection } from './reward-model.ts'
import { samplesSection } from './samples.ts'
import { sftSection } from './sft.ts'

export function reportSections(document: StudyDocument): Section[] {
  return [
    headlineSection,
    pipelineSection,
    heldOutSection,
    quadrantsSection,
    rewardModelSection,
    probesSection,
    ppoSection,
    creditSection,
    sftSection,
    samplesSection,
    integritySection,
    dataSection,
    configurationSection,
    provenanceSection,
    limitsSection,
  ].flatMap((section) => section(document))
}
