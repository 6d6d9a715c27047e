// Its import registers the operators of the layout mkldnn in this program.
import topbit.onednn;
