export { labStackNames } from "../../../components/core/faults";
