import { lab, serve } from "../..";

serve(lab);
